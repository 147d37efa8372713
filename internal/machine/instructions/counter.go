// Package instructions reads a clock that counts instructions: that of a guest whose CPU is emulated with one tick of
// the clock for each instruction (vm.Machine.Counts). Any other machine's clock tells the time.
package instructions

import "errors"

// ErrTime: the clock here tells the time.
var ErrTime = errors.New("the clock of this machine does not count instructions: they are counted in a virtual machine, which " +
	"`upflab run instructions` boots")

// Now is how many instructions the CPU has executed, with the ticks that it slept through. It is a difference that means
// something.
func Now() uint64 { return ticks() }

// The loop that Check knows the instructions of: one that counts down, and a jump.
const (
	rounds   = 10_000
	perRound = 2
	tries    = 20
)

// Check is ErrTime unless a loop of a known number of instructions takes exactly that many ticks.
func Check() error {
	for range tries { // an interrupt may come in between
		short, long := timed(rounds), timed(2*rounds)
		if long-short == rounds*perRound {
			return nil
		}
	}
	return ErrTime
}

func timed(n uint64) uint64 {
	from := ticks()
	loop(n)
	return ticks() - from
}
