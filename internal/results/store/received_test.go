package store

import (
	"strings"
	"testing"
)

// TestReceiver: what runs write is taken; what a browser, a web server or a shell would act on is not.
func TestReceiver(t *testing.T) {
	for name, want := range map[string]bool{
		"raw/trials.jsonl.gz": true, "raw/windows.csv.gz": true, "raw/other.gz": false, "builtin-xdp/trials.jsonl.gz": false,
		"result.json": true, "live.jsonl": true, "log.txt": true,
		"builtin-xdp/upf.yaml": true, "builtin-xdp/upf.log": true, "eupf@0.7.1-native/packets.pcapng": true,
		"eupf/eupf.yml": true, "spgwu/spgw_u.conf": true, "sdcore/upf.jsonc": true, "calibrator-rate=80kpps/ledger.json": true,
		"report.html": false, "report.md": false, "index.html": false, "builtin-xdp/report.html": false,
		"Report.HTML": false, ".htaccess": false, "builtin-xdp/.htaccess": false, ".git/config": false,
		"builtin-xdp/init.sh": false, "run": false, "builtin-xdp/x.svg": false, "builtin-xdp/x.JSON": false,
		"builtin-xdp/a\x1b[2J.log": false, "builtin-xdp/a\u202egol.log": false, "builtin-xdp/-rf.log": false,
		"builtin-xdp/a b.log": false, "builtin-xdp/a\n.log": false, "a/b/c.log": false, "builtin-xdp/": false,
		"builtin-xdp//x.log": false, "../x.log": false, "/x.log": false, "job.json": false, "cluster.json": false, "": false,
		"builtin-xdp/" + strings.Repeat("n", 200) + ".log": false,
	} {
		var r Receiver
		if got := r.Takes(name); got != want {
			t.Errorf("%q is taken: %v", name, got)
		}
		made := name == ReportHTML || name == ReportMarkdown
		if said := r.Refused(); (said == "") != (want || made) {
			t.Errorf("%q: %s", name, said)
		}
	}
}

func TestReceiverNamesSafely(t *testing.T) {
	var r Receiver
	for range 7 {
		r.Takes("\x1b[2J\u202e")
	}
	const one = `"\x1b[2J\u202e"`
	if want := strings.Repeat(one+", ", 4) + one + " and 2 more"; r.Refused() != want {
		t.Errorf("%s, want %s", r.Refused(), want)
	}
}
