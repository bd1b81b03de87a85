"""The spanning tree of a mechanism: links, their coordinates and velocities, and motions in these."""
