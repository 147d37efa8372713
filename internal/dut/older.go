package dut

import (
	"strconv"
	"strings"
)

// Older reports whether a version comes before another. It is false for what cannot be
// compared, such as a commit or a hash.
func Older(version, than string) bool {
	a, b := numbers(version), numbers(than)
	if a == nil || b == nil {
		return false
	}
	for i := range max(len(a), len(b)) {
		if x, y := at(a, i), at(b, i); x != y {
			return x < y
		}
	}
	return false
}

// numbers are those of "v2.8.0-12-gabc" and of "v2.8.0, part 1.2": 2, 8, 0; nil when it begins with none.
func numbers(version string) (list []int) {
	core, _, _ := strings.Cut(strings.TrimPrefix(version, "v"), "-")
	core, _, _ = strings.Cut(core, "+")
	core, _, _ = strings.Cut(core, ",") // what else it consists of
	for part := range strings.SplitSeq(core, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return list
		}
		list = append(list, n)
	}
	if len(list) < 2 {
		return nil
	}
	return list
}

func at(list []int, i int) int {
	if i < len(list) {
		return list[i]
	}
	return 0
}

// TooOld warns of a version older than any that was run; "" when it is not.
func (t Target) TooOld() string {
	info := t.Driver.Info()
	if info.Oldest == "" || !Older(t.Version, info.Oldest) {
		return ""
	}
	return info.Name + " " + t.Version + " is older than " + info.Oldest + ", the oldest that upflab was run with: " +
		"if it rejects sessions or forwards nothing, update it first."
}
