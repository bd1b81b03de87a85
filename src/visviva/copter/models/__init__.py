"""Equations of motion of vehicles: gyrostats, mechanisms, steps that keep account of energy, rigid bodies."""
