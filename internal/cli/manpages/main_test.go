package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPages(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1800000000")
	dir := t.TempDir()
	if err := write(dir); err != nil {
		t.Fatal(err)
	}
	for page, want := range map[string]string{
		"upflab.1": `"Jan 2027"`, "upflab-run.1": "scenario", "upflab-dut-list.1": "DUT", "upflab-upf.1": "--config",
	} {
		b, err := os.ReadFile(filepath.Join(dir, page))
		if text := strings.ReplaceAll(string(b), `\-`, "-"); err != nil || !strings.Contains(text, want) {
			t.Errorf("%s has no %q: %v", page, want, err)
		}
	}
}

func TestEpoch(t *testing.T) {
	if at, err := epoch("86400"); err != nil || at.Format("2006-01-02 15") != "1970-01-02 00" {
		t.Errorf("%v, %v", at, err)
	}
	if _, err := epoch("yesterday"); err == nil {
		t.Error("a date that is no number was taken")
	}
}
