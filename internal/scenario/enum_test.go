package scenario

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/text/decltest"
)

// TestEnumsAreConstants: what a key of a type takes are the constants of that type, and each constant can be
// asked for by some key.
func TestEnumsAreConstants(t *testing.T) {
	asked := map[reflect.Type]map[string]bool{}
	enums(reflect.TypeFor[Scenario](), map[reflect.Type]bool{}, func(of reflect.Type, values []string) {
		if asked[of] == nil {
			asked[of] = map[string]bool{}
		}
		for _, v := range values {
			asked[of][v] = true
		}
	})
	if len(asked) < 8 {
		t.Fatalf("%d types have values: the walk misses some", len(asked))
	}
	for of, values := range asked {
		declared := slices.Sorted(maps.Values(decltest.Constants(t, ".", of.Name())))
		if keys := slices.Sorted(maps.Keys(values)); !slices.Equal(keys, declared) {
			t.Errorf("%s: keys take %q, its constants are %q", of, keys, declared)
		}
	}
}

// enums calls found with each type of this package whose values a key lists.
func enums(of reflect.Type, seen map[reflect.Type]bool, found func(reflect.Type, []string)) {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Map {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || seen[of] {
		return
	}
	seen[of] = true
	for i := range of.NumField() {
		f := of.Field(i)
		value := f.Type
		if value.Kind() == reflect.Slice {
			value = value.Elem()
		}
		if list := f.Tag.Get("enum"); list != "" && value.Kind() == reflect.String && value.PkgPath() == of.PkgPath() {
			found(value, strings.Split(list, ","))
		}
		enums(f.Type, seen, found)
	}
}
