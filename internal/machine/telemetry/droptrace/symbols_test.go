package droptrace

import (
	"os"
	"testing"
)

func TestSymbols(t *testing.T) {
	file := t.TempDir() + "/kallsyms"
	text := "ffffffff81000200 T ip_forward\nffffffff81000100 t ip_error\nffffffff81000180 d some_data\nno " +
		"line\nffffffff81000300 T udp_rcv\t[udp]\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	s := symbols{file: file}
	for address, want := range map[uint64]string{
		0: "", 0xffffffff810000ff: "", 0xffffffff81000100: "ip_error", 0xffffffff810001f0: "ip_error",
		0xffffffff81000234: "ip_forward", 0xffffffff81000400: "udp_rcv",
	} {
		if got := s.function(address); got != want || s.function(address) != want {
			t.Errorf("%x is %q, want %q", address, got, want)
		}
	}
	if got := (&symbols{file: file + "-none"}).function(1); got != "" {
		t.Errorf("without a list: %q", got)
	}
}
