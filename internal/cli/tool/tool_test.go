package tool

import (
	"regexp"
	"testing"
)

// TestBuilt: a program that was built from a folder is told from others by its version, too. Of
// a test program Go knows neither a version nor a commit.
func TestBuilt(t *testing.T) {
	if v := built().Version; !regexp.MustCompile(`^(v\d|commit [0-9a-f]{12}|sha256:[0-9a-f]{12})`).MatchString(v) {
		t.Errorf("the version is %q", v)
	}
}
