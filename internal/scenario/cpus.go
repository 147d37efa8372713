package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// CPUs are the CPUs of a role, as a scenario writes them: "2", "0,1", "4-7,12", or "-1",
// which lets upflab choose.
type CPUs string

// AnyCPU lets upflab choose.
const AnyCPU CPUs = "-1"

// List are the CPUs in the order of the text; nil: upflab chooses.
func (c CPUs) List() []int {
	list, _ := parseCPUs(string(c)) // checked when the scenario was read
	return list
}

// lastCPU is the highest number of a CPU.
const lastCPU = 4095

func parseCPUs(text string) (list []int, err error) {
	if text = strings.TrimSpace(text); text == "" || text == string(AnyCPU) {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		low, high, span := strings.Cut(strings.TrimSpace(part), "-")
		if !span {
			high = low
		}
		from, errFrom := cpuNumber(low)
		to, errTo := cpuNumber(high)
		if errFrom != nil || errTo != nil || from > to {
			return nil, fmt.Errorf("%q names no CPUs; write numbers from 0 to %d, as 2, 0,1 or 4-7, or -1", text, lastCPU)
		}
		for cpu := from; cpu <= to; cpu++ {
			if slices.Contains(list, cpu) {
				return nil, fmt.Errorf("%q names CPU %d twice", text, cpu)
			}
			list = append(list, cpu)
		}
	}
	return list, nil
}

func cpuNumber(text string) (int, error) {
	n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 16)
	if err == nil && n > lastCPU {
		err = strconv.ErrRange
	}
	return int(n), err
}
