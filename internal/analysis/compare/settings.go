package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/text/plainyaml"
)

// SettingsDiffer lists the settings that are not the same on both sides. What a
// scenario is called, and how often it repeats, bends no figure.
func SettingsDiffer(a, b string) []string {
	if a == b {
		return nil
	}
	left, errA := flatten(a)
	right, errB := flatten(b)
	if errA != nil || errB != nil {
		return []string{"settings could not be compared: they are not YAML as a run writes it"}
	}
	var list []string
	for _, key := range differing(left, right) {
		list = append(list, differs(key, left[key], right[key]))
	}
	return list
}

// SameTask reports whether two settings ask the same of a UPF. It may be at another place: with other addresses, devices, CPUs.
func SameTask(a, b string) bool {
	left, errA := flatten(a)
	right, errB := flatten(b)
	return errA == nil && errB == nil && !slices.ContainsFunc(differing(left, right), func(key string) bool { return !ofPlace(key) })
}

// ofPlace reports whether a key says where a UPF is, or what a user wants its figures to be.
func ofPlace(key string) bool {
	section, name, _ := strings.Cut(key, ".")
	return slices.Contains([]string{"n3", "n4", "n6", "ue", "cpu", "external", "container", "vm", "thresholds"}, section) &&
		!slices.Contains([]string{"ipsec", "link", "family"}, name)
}

// differing are the keys of flattened settings that differ, without those that bend no figure.
func differing(left, right map[string]string) (list []string) {
	keys := maps.Clone(left)
	maps.Copy(keys, right)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if left[key] != right[key] && !harmless(key) && !renumbered(key, left[key], right[key]) {
			list = append(list, key)
		}
	}
	return list
}

func harmless(key string) bool {
	top, _, _ := strings.Cut(key, ".")
	return slices.Contains([]string{"name", "title", "description", "study", "full", "repeats", "seed"}, top)
}

// renumbered reports whether two runs watched a process, which has another number each time.
func renumbered(key, a, b string) bool {
	return key == "external.pid" && a != "" && a != "0" && b != "" && b != "0"
}

// maxSettings is the size, bytes, of settings with every value written out: twice what the
// largest scenario has.
const maxSettings = 2 * plainyaml.Small

// flatten reads YAML into paths, "latency.rate", and their values.
func flatten(text string) (map[string]string, error) {
	var tree map[string]any
	if err := plainyaml.Unmarshal([]byte(text), maxSettings, &tree); err != nil {
		return nil, err
	}
	flat := map[string]string{}
	walk(flat, "", tree)
	return flat, nil
}

func walk(flat map[string]string, path string, node any) {
	tree, ok := node.(map[string]any)
	if !ok {
		flat[path] = strings.Trim(fmt.Sprint(node), "[]")
		return
	}
	for key, child := range tree {
		walk(flat, strings.TrimPrefix(path+"."+key, "."), child)
	}
}

// differs is one caveat: "kernel: A 6.1.0, B 6.12.1".
func differs(what, a, b string) string {
	return fmt.Sprintf("%s: A %s, B %s", what, orNothing(a), orNothing(b))
}

func orNothing(s string) string {
	if s == "" {
		return "(none)"
	}
	return s
}
