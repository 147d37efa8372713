package verdict

import (
	"fmt"
	"strconv"
)

// percent writes a ratio for a sentence: "0.9 %".
func percent(part float64) string {
	if part > 0 && part < 0.0001 {
		return fmt.Sprintf("%.1g %%", part*100)
	}
	return fmt.Sprintf("%.3g %%", part*100)
}

// count writes a number of packets with separators: "1,234,567".
func count(n uint64) string {
	digits := strconv.FormatUint(n, 10)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

func times(n uint64) string {
	if n == 1 {
		return "once"
	}
	return count(n) + " times"
}

func mpps(pps float64) string { return fmt.Sprintf("%.3g Mpps", pps/1e6) }
