package xdp

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/traffic"
)

// The names hold to the enum of the program, in its order: each name tells what
// the word in the enum does.
func TestWrongNamesFollowTheEnum(t *testing.T) {
	words := map[string]string{
		"ETHERNET": "destination MAC", "OUTER_IP": "outer IP header", "OUTER_UDP": "outer UDP header",
		"GTP": "GTP-U header", "TEID": "TEID", "PSC": "no PDU session container", "QFI": "QFI",
		"NOT_ENCAPSULATED": "not encapsulated", "STILL_ENCAPSULATED": "still encapsulated",
		"INNER_IP": "inner IP header", "INNER_ADDRESS": "inner address", "INNER_UDP": "inner UDP header",
		"CHECKSUM": "inner UDP checksum", "PAYLOAD": "payload", "SIGNATURE": "signature",
	}
	source, err := os.ReadFile("bpf/sink.c")
	if err != nil {
		t.Fatal(err)
	}
	enum := regexp.MustCompile(`(?s)enum wrong \{(.*?)\}`).FindSubmatch(source)
	if enum == nil {
		t.Fatal("sink.c has no enum wrong")
	}
	var names []string
	for _, word := range strings.FieldsFunc(string(enum[1]), func(r rune) bool { return strings.ContainsRune(" \t\n,", r) }) {
		if word != "WRONG_COUNT" {
			names = append(names, words[strings.TrimPrefix(word, "WRONG_")])
		}
	}
	if got, want := faults(), strings.Join(names, "|"); got != want {
		t.Errorf("Faults are\n%s, the enum is\n%s", got, want)
	}
	if n := len(sinkTotals{}.Wrong); n != len(traffic.Faults()) {
		t.Errorf("the program counts %d reasons, Faults are %d", n, len(traffic.Faults()))
	}
}

func faults() string {
	var names []string
	for _, name := range traffic.Faults() {
		names = append(names, string(name))
	}
	return strings.Join(names, "|")
}
