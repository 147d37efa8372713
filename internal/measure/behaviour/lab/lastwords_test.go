package lab

import "testing"

func TestLastWords(t *testing.T) {
	for log, want := range map[string]string{
		"one\ntwo\n": `its last message: "two"`,
		"":           `its last message: ""`,
		"11/12 [upf] INFO: x\n11/12 [pfcp] FATAL: f: Assertion `rv' failed. (a.c:4)\nbacktrace\n": "its log: \"11/12 [pfcp] FATAL: f: Assertion `rv' failed. (a.c:4)\"",
		"INF x\npanic: runtime error: nil\n[signal SIGSEGV]\n\ngoroutine 1 " +
			"[running]:\npanic(0x1)\n\t/go/panic.go:1\ngithub.com/e/core.Handle(0xc00, {0x1})\n\t/a.go:5 " +
			"+0x1\nmain.main()\n": `"panic: runtime error: nil" in core.Handle`,
	} {
		if got := lastWords(log); got != want {
			t.Errorf("of %q: %s, want %s", log, got, want)
		}
	}
}
