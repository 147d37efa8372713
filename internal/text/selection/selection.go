// Package selection takes from a list what a user names: single things by their ID, or groups
// of them by the beginning of theirs.
package selection

import (
	"fmt"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/text/spelling"
)

// Of gives, in the order of the names, what has such an ID or begins with it and a dot: each
// once. No names: all. thing is what the list is of, for the error: "incident".
func Of[T any](all []T, id func(*T) string, thing string, names []string) (list []T, err error) {
	if len(names) == 0 {
		return all, nil
	}
	taken := map[string]bool{}
	for _, name := range names {
		found := false
		for i := range all {
			at := id(&all[i])
			if at != name && !strings.HasPrefix(at, name+".") {
				continue
			}
			if found = true; !taken[at] {
				taken[at] = true
				list = append(list, all[i])
			}
		}
		if !found {
			return nil, unknown(all, id, thing, name)
		}
	}
	return list, nil
}

// unknown is the error of a name that nothing has.
func unknown[T any](all []T, id func(*T) string, thing, name string) error {
	var names []string
	for i := range all {
		for at := id(&all[i]); at != ""; at = at[:max(0, strings.LastIndexByte(at, '.'))] { // its groups, too
			if !slices.Contains(names, at) {
				names = append(names, at)
			}
		}
	}
	return fmt.Errorf("there is no %s %q%s; `upflab behaviour list` shows all", thing, name, spelling.DidYouMean(name, names))
}
