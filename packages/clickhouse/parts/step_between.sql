sign, why, ref, at,
