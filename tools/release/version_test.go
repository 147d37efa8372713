package main

import (
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestAfter(t *testing.T) {
	v := version{commit: "7f8cbb0aa4c1bbbbbbbb", date: time.Date(2026, 11, 22, 9, 30, 0, 0, time.UTC)}
	for tag, want := range map[string]struct{ name, debian string }{
		"v0.3.1-0-g7f8cbb0": {"v0.3.1", "0.3.1"},
		"v0.3.1-5-g7f8cbb0": {"v0.3.2-0.20261122093000-7f8cbb0aa4c1", "0.3.2~0.20261122093000.7f8cbb0aa4c1"},
		"v0.0.0-1-g7f8cbb0": {"v0.0.0-20261122093000-7f8cbb0aa4c1", "0.0.0~20261122093000.7f8cbb0aa4c1"},
	} {
		name, err := after(tag, v)
		if v.name = name; err != nil || name != want.name || v.debian() != want.debian {
			t.Errorf("%s: %s, %s, %v; want %v", tag, name, v.debian(), err, want)
		}
	}
	if _, err := after("vnext-2-gabc", v); err == nil {
		t.Error("a tag that is no version was taken")
	}
}

func TestDescribe(t *testing.T) {
	dir := t.TempDir()
	if _, err := describe(dir); err == nil || !strings.Contains(err.Error(), "git clone") {
		t.Errorf("without git: %v", err)
	}
	in := func(args ...string) {
		c := exec.Command("git", args...)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	in("init", "-q")
	in("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "first")
	if v, err := describe(dir); err != nil || !strings.HasPrefix(v.name, "v0.0.0-") {
		t.Errorf("without a tag: %+v, %v", v, err)
	}
	in("tag", "v1.2.3")
	if v, err := describe(dir); err != nil || v.name != "v1.2.3" || len(v.commit) != 40 {
		t.Errorf("at a tag: %+v, %v", v, err)
	}
}
