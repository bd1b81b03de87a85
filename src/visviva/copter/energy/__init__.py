"""Where energy goes: powers of all forces, accounts of flights and runs, and their pictures."""
