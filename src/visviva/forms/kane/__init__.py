"""Kane's equations from velocities of particles and bodies."""
