package upf

import (
	"strings"
	"testing"
)

// TestSMFSetsAreChecked: an SMF is of one set, which has a name, and may associate.
func TestSMFSetsAreChecked(t *testing.T) {
	for sets, want := range map[string]string{
		"[{id: a.example, smfs: [10.0.0.1]}, {id: b.example, smfs: [10.0.0.2]}]":    "",
		"[{id: a.example, smfs: [10.0.0.1]}, {id: b.example, smfs: [10.0.0.0/30]}]": "n4.sets[1].smfs[0]",
		"[{id: a.example, smfs: [10.0.0.1]}, {id: A.Example, smfs: [10.0.0.2]}]":    "n4.sets[1].id",
		"[{id: a.example, smfs: [10.0.1.1]}]":                                       "n4.sets[0].smfs[0]",
		"[{id: a.example, smfs: [10.0.0.0/23]}]":                                    "n4.sets[0].smfs[0]",
		"[{id: a.example}]":                                                         "n4.sets[0].smfs",
		"[{id: a..example, smfs: [10.0.0.1]}]":                                      "n4.sets[0].id",
		"[{smfs: [10.0.0.1]}]":                                                      "n4.sets[0].id",
	} {
		text := strings.Replace(minimal, "n4: {address: 127.0.0.8}", "n4: {address: 127.0.0.8, smfs: [10.0.0.0/24], sets: "+sets+"}", 1)
		_, err := ParseConfig("upf.yaml", []byte(text))
		if ok := err == nil; ok != (want == "") || err != nil && !strings.Contains(err.Error(), want+":") && !strings.Contains(err.Error(), want+" ") {
			t.Errorf("%s: %v, want a complaint about %q", sets, err, want)
		}
	}
}
