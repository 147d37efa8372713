package dut

import (
	"context"
	"errors"
	"os"
	"testing"
)

// looker is a Driver that looks at the variable.
type looker struct{ Driver }

func (looker) Info() Info { return Info{Name: "looker", Modes: []string{"one"}} }

func (looker) Installed() (string, error) { return os.Getenv("UPFLAB_LOOKER"), nil }

func (looker) Start(context.Context, Env) (*Instance, error) {
	return nil, errors.New(os.Getenv("UPFLAB_LOOKER"))
}

// TestBuild: each build's driver sees its own program, and nobody else does.
func TestBuild(t *testing.T) {
	for _, before := range []string{"", "theirs"} {
		os.Unsetenv("UPFLAB_LOOKER")
		if before != "" {
			t.Setenv("UPFLAB_LOOKER", before)
		}
		for _, value := range []string{"a", "b"} {
			b, err := Target{Driver: looker{}, Mode: "one"}.Built(value, Variable(looker{}.Info()), value)
			if got := b.Label(); got != "looker@"+value+":one" {
				t.Errorf("it is called %s", got)
			}
			version := b.Version
			_, started := b.Start(context.Background(), Env{})
			if err != nil || version != value || started.Error() != value {
				t.Errorf("build %s saw %q and %q, %v", value, version, started, err)
			}
		}
		if now, had := os.LookupEnv("UPFLAB_LOOKER"); now != before || had != (before != "") {
			t.Errorf("the variable was %q and is %q, %v", before, now, had)
		}
	}
}

// TestOwn: upflab's own UPFs are this program, or the one that the variable names.
func TestOwn(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Own(Info{Name: "builtin"}); err != nil || got[0] != self {
		t.Errorf("%v, %v", got, err)
	}
	t.Setenv("UPFLAB_BUILTIN", "/bin/sh")
	if got, err := Own(Info{Name: "builtin"}); err != nil || got[0] != "/bin/sh" {
		t.Errorf("%v, %v", got, err)
	}
	t.Setenv("UPFLAB_BUILTIN", "/nonexistent/upflab")
	if got, err := Own(Info{Name: "builtin"}); err == nil {
		t.Errorf("%v", got)
	}
}
