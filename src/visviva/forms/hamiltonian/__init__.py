"""Port-Hamiltonian systems in coordinates: their structure, its Casimirs and canonical form."""
