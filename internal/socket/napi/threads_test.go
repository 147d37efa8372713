package napi

import "testing"

func TestIsOf(t *testing.T) {
	for comm, want := range map[string]bool{
		"napi/n3-abcde-1234\n":   true,
		"napi/n3-abcde-\n":       true, // as long as a name was before Linux 5.17
		"napi/n3-abcde-u-1234\n": false,
		"napi/n3t-abcde-1234\n":  false,
		"napi/n3-abcdef-1\n":     false,
		"upf\n":                  false,
	} {
		if got := isOf("n3-abcde", comm); got != want {
			t.Errorf("%q: %v, want %v", comm, got, want)
		}
	}
}
