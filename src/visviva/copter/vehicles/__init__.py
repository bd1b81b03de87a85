"""Vehicles as data: rotors, servos, battery, blades, and what is around them."""
