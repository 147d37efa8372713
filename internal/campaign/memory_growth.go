package campaign

import (
	"fmt"

	"github.com/upflab/upflab/internal/record"
)

// memoryGrowth is a remark on memory that grew from trial to trial through a whole visit; "" when
// it did not. A UPF that fills its caches once does not count.
func memoryGrowth(trials []record.Trial) string {
	const fewest, least, ratio = 4, 8 << 20, 1.1
	if len(trials) < fewest {
		return ""
	}
	for i := 1; i < len(trials); i++ {
		if trials[i].MemoryBytes <= trials[i-1].MemoryBytes {
			return ""
		}
	}
	first, last := trials[0].MemoryBytes, trials[len(trials)-1].MemoryBytes
	if first == 0 || last-first < least || float64(last) < ratio*float64(first) {
		return ""
	}
	return fmt.Sprintf("Its memory grew in every one of %d trials, from %.1f to %.1f MiB: it may leak. Run the scenario soak to find out.",
		len(trials), float64(first)/(1<<20), float64(last)/(1<<20))
}
