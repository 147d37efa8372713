package telemetry

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

const (
	lineRounds   = 100                   // of one measurement
	lineLeast    = 10                    // measurements, of which the quickest counts
	lineMost     = 40                    // measurements
	linePatience = 20 * time.Millisecond // for a CPU that somebody else has
)

// ErrCacheLine is that of CPUs that did not answer each other in time.
var ErrCacheLine = errors.New("two CPUs did not run at the same time, so how far apart they are was not measured")

// CacheLineNS is how long a cache line takes from CPU a to CPU b and back, ns: some 50 to 100 where
// the two share a cache, some 200 to 500 where they do not. A hypervisor that moves virtual CPUs
// from one part of its machine to another changes it, and with it the speed of all that is
// handed from one to the other, packets for one: by a factor of two and more. It takes 0.2 to
// 2 ms, and 20 ms at most.
func CacheLineNS(a, b int) (float64, error) {
	var turn atomic.Uint32
	var over atomic.Bool
	errs := make(chan error, 2)
	go onCPU(b, errs, func() {
		for next := uint32(1); !over.Load(); next += 2 {
			for turn.Load() != next {
				if over.Load() {
					return
				}
			}
			turn.Store(next + 1)
		}
	})
	var quickest time.Duration
	go onCPU(a, errs, func() {
		defer over.Store(true)
		quickest = volley(&turn)
	})
	first := <-errs
	over.Store(true) // also where a could not play
	if err := errors.Join(first, <-errs); err != nil {
		return 0, err
	}
	if quickest == 0 {
		return 0, ErrCacheLine
	}
	return float64(quickest.Nanoseconds()) / lineRounds, nil
}

// volley plays the line to and fro and gives the time of the quickest rounds; 0: too few.
func volley(turn *atomic.Uint32) (quickest time.Duration) {
	begun := time.Now()
	for n := range uint32(lineMost) {
		from := time.Now()
		for i := range uint32(lineRounds) {
			at := 2*(n*lineRounds+i) + 1
			turn.Store(at)
			for spun := 0; turn.Load() != at+1; spun++ {
				if spun%1024 == 1023 && time.Since(begun) > linePatience {
					return enoughVolleys(n, quickest)
				}
			}
		}
		if took := time.Since(from); quickest == 0 || took < quickest {
			quickest = took
		}
	}
	return quickest
}

func enoughVolleys(n uint32, quickest time.Duration) time.Duration {
	if n < lineLeast {
		return 0
	}
	return quickest
}

// onCPU runs work on a CPU, in a thread of its own that ends with it.
func onCPU(cpu int, done chan<- error, work func()) {
	runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
	var set unix.CPUSet
	set.Set(cpu)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		done <- fmt.Errorf("run on CPU %d: %w", cpu, err)
		return
	}
	work()
	done <- nil
}
