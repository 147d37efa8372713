package loglimit

import (
	"strings"
	"testing"
	"time"
)

// TestSay: of a kind that comes without end ten lines are said, and of another kind all.
func TestSay(t *testing.T) {
	var k Kinds
	var said []string
	for range 1000 {
		k.Say(func(text string) { said = append(said, text) }, "flood", "a flood")
	}
	k.Say(func(text string) { said = append(said, text) }, "other", "another")
	if len(said) < linesAtOnce+1 || len(said) > linesAtOnce+60 || said[len(said)-1] != "another" {
		t.Errorf("%d lines, the last is %q", len(said), said[len(said)-1])
	}
	k.of["flood"].free = time.Now()
	k.Say(func(text string) { said = append(said, text) }, "flood", "a flood")
	if last := said[len(said)-1]; !strings.Contains(last, "more of these were left out") {
		t.Errorf("the next line is %q", last)
	}
}

func TestLineKind(t *testing.T) {
	k, now, let := lineKind{}, time.Now(), 0
	for range 100 {
		if ok, _ := k.allow(now); ok {
			let++
		}
	}
	if ok, muted := k.allow(now.Add(lineEvery)); let != linesAtOnce || !ok || muted != 90 {
		t.Errorf("%d let through, then %v after %d muted, want %d, true, 90", let, ok, muted, linesAtOnce)
	}
	if ok, muted := k.allow(now.Add(lineEvery)); ok || muted != 0 {
		t.Errorf("a second one within the second: %v", ok)
	}
	for i := range linesAtOnce {
		if ok, _ := k.allow(now.Add(time.Hour)); !ok {
			t.Errorf("after a pause line %d is not logged", i+1)
		}
	}
}
