package instructions

// ticks reads the time stamp counter.
func ticks() uint64

// loop goes round n times, by two instructions each.
func loop(n uint64)
