package scenario

import "testing"

func TestNearest(t *testing.T) {
	names := paths(Keys())
	for word, want := range map[string]string{
		"paylod": "payload", "Payload": "payload", "gnb": "n3.gnb", "session": "sessions",
		"mut": "mtu", "wibble": "", "": "",
	} {
		if got := nearest(word, names); got != want {
			t.Errorf("nearest(%q) = %q, want %q", word, got, want)
		}
	}
}
