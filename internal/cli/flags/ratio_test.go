package flags

import (
	"fmt"
	"testing"
)

func TestRatio(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"3%", "3%"}, {"0.03", "3%"}, {" 2.5 % ", "2.5%"}, {"0", "0%"}, {"99.9%", "99.9%"},
		{"3", ""}, {"100%", ""}, {"-1%", ""}, {"", ""}, {"%", ""}, {"NaN", ""}, {"Inf%", ""}, {"3%%", ""},
	} {
		var r Ratio
		err := r.Set(c.text)
		if (err == nil) != (c.want != "") || err == nil && fmt.Sprint(&r) != c.want {
			t.Errorf("%q: %s, %v; want %q", c.text, r.String(), err, c.want)
		}
	}
}
