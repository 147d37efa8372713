package runflags

import (
	"fmt"
	"strconv"

	"github.com/spf13/pflag"
)

// whole is the value of a flag: a whole number with a lower bound.
type whole[T int | int64] struct {
	to    *T
	least T
}

// Whole declares a flag that takes a whole number, least or more. first is its value where it is not given, which
// may be less, as for "none".
func Whole[T int | int64](set *pflag.FlagSet, to *T, name string, first, least T, usage string) *pflag.Flag {
	*to = first
	return set.VarPF(whole[T]{to, least}, name, "", usage)
}

// Set reads the flag.
func (w whole[T]) Set(text string) error {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < int64(w.least) || int64(T(n)) != n {
		return fmt.Errorf("it takes a whole number, %d or more", w.least)
	}
	*w.to = T(n)
	return nil
}

// String writes it.
func (w whole[T]) String() string {
	if w.to == nil {
		return "0"
	}
	return strconv.FormatInt(int64(*w.to), 10)
}

// Type is what the help would call it.
func (w whole[T]) Type() string { return "whole" }
