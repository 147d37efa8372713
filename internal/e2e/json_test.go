package e2e

import (
	"strings"
	"testing"
)

// has fails the test for each of the names, separated by spaces, that is not in
// the object.
func has(t *testing.T, what string, o map[string]any, names string) {
	t.Helper()
	for _, name := range strings.Fields(names) {
		if _, ok := o[name]; !ok {
			t.Errorf("%s has no %q", what, name)
		}
	}
}

func object(v any) map[string]any {
	o, _ := v.(map[string]any)
	return o
}

func list(v any) (objects []map[string]any) {
	values, _ := v.([]any)
	for _, v := range values {
		objects = append(objects, object(v))
	}
	return objects
}
