package compare

// chooseBasis says on what changes are measured, and why.
func chooseBasis(in inputs, o Options) (Basis, string) {
	switch {
	case o.Raw:
		return BasisRaw, "figures as measured, as asked; a faster or slower machine is not taken out"
	case in.oneRun && in.a.Result.Until != nil:
		return BasisPaired, "one run holds both, and decided itself when to end: each block of two repeats, B against A, by " +
			"intervals and p values that hold at every look"
	case in.oneRun:
		return BasisPaired, "one run holds both: each figure of B against A's of the same repeat"
	case in.wireA == nil && in.wireB == nil:
		return BasisRaw, "figures as measured, because A and B have no wire; a faster or slower machine is not corrected for"
	case in.wireA == nil:
		return BasisRaw, "figures as measured, because A has no wire; a faster or slower machine is not corrected for"
	case in.wireB == nil:
		return BasisRaw, "figures as measured, because B has no wire; a faster or slower machine is not corrected for"
	}
	return BasisWire, "a difference counts where three figures show it: as measured, less wire's of the same repeat, and " +
		"as a ratio to wire's. Neither a faster machine nor a changed wire then looks like a better UPF"
}
