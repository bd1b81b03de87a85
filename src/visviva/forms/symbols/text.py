def equation_terms(e): return (e.M,e.c,e.f,e.Z,e.z)
