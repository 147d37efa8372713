package open5gs

import "testing"

func TestPlain(t *testing.T) {
	for _, c := range []struct{ why, text, want string }{
		{"nothing", "", ""},
		{"no colours", "open() failed\n", "open() failed\n"},
		{"a line of v2.8.0", "\x1b[32m11/21 02:53:53.523\x1b[0m: [\x1b[33mupf\x1b[0m] \x1b[1;33mERROR\x1b[0m: No Context (../src/upf/n4-handler.c:71)\n",
			"11/21 02:53:53.523: [upf] ERROR: No Context (../src/upf/n4-handler.c:71)\n"},
		{"cut off within one", "\x1b[32m11/21\x1b[0", "11/21"},
		{"begun within one", "33mupf\x1b[0m]", "33mupf]"},
	} {
		if got := plain(c.text); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}
