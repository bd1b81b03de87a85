"""Speed as ratios: each case against its peer, in one run, interleaved."""
