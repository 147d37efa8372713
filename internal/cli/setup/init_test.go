package setup

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/scenario"
)

func TestInit(t *testing.T) {
	for n, a := range aims() {
		path := filepath.Join(t.TempDir(), "mine.yaml")
		var out bytes.Buffer
		if err := initScenario(strings.NewReader(string(rune('1'+n))+"\nbuiltin:tun\n800k\n"), &out, path); err != nil {
			t.Errorf("%s: %v\n%s", a.scenario, err, out.String())
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s, err := scenario.OpenText(text, path, nil, false)
		if err != nil || s.Name != "mine" || len(s.Thresholds) != 1 || !strings.Contains(s.Thresholds[0], "800k") {
			t.Errorf("%s: %v, %+v", a.scenario, err, s)
		}
		if a.load != "" && s.Loads[0].PPS != 800e3 {
			t.Errorf("%s: what it must carry is not offered: %v", a.scenario, s.Loads)
		}
		if !strings.Contains(out.String(), "sudo upflab run "+path+" --dut builtin:tun\n") {
			t.Errorf("%s", out.String())
		}
		if err := initScenario(strings.NewReader("\n\n\n"), &out, path); err == nil || !strings.Contains(err.Error(), "is there already") {
			t.Errorf("over a file: %v", err)
		}
	}
}

func TestInitAnswers(t *testing.T) {
	for answers, want := range map[string]string{
		"":                               "",
		"\nexternal\n\n":                 "",
		"9\n\n\n\n":                      "",
		"9\n0\nx\n":                      "is not a number from 1 to 5",
		"\nnosuch\nnosuch\nnosuch\n":     "nosuch",
		"\n\nfast\nfaster\n1 furlong\n":  "the unit does not fit",
		"2\nbuiltin:xdp\n-1\n-1\n-1\n\n": "is not a limit",
	} {
		path := filepath.Join(t.TempDir(), "mine.yaml")
		err := initScenario(strings.NewReader(answers), new(bytes.Buffer), path)
		_, missing := os.Stat(path)
		if want == "" && (err != nil || missing != nil) {
			t.Errorf("%q: %v, %v", answers, err, missing)
		}
		if want != "" && (err == nil || !strings.Contains(err.Error(), want) || missing == nil) {
			t.Errorf("%q: error %v, want %q in it and no file", answers, err, want)
		}
	}
}
