package record

import "slices"

// AppendNew appends what the list does not hold yet: a remark, a note or a file of several visits is there once.
func AppendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}
