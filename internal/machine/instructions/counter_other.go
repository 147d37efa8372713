//go:build !amd64

package instructions

import "time"

// Guests are of amd64: elsewhere there is the time alone.

func ticks() uint64 { return uint64(time.Now().UnixNano()) }

func loop(n uint64) {
	for ; n > 0; n-- {
		_ = n
	}
}
