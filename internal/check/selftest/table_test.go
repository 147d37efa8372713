package selftest

import (
	"bytes"
	"flag"
	"os"
	"testing"
)

func tableRows() []Row {
	rows := []Row{
		exact("received", 19743, 19743),
		exact("duplicated", 0, 0),
		exact("reordered", 0, 0),
		exact("lost in the device", 257, 256),
		timeRow("latency p50", 262144, 262900),
		within("received rate", PerSecond, 80000, 79900, 800),
		within("queue, from bursts", Packets, 64, 64.5, 1),
		word("limited by", "dut", "host"),
		failed("the run", "the UPF has ended"),
	}
	for i := range rows {
		rows[i].Experiment, rows[i].Device, rows[i].Trial, rows[i].Try = "counts", "calibrator:loss=0.013", "uplink 20k", 1
	}
	other := exact("received", 5, 5)
	other.Experiment, other.Device, other.Trial, other.Try = "delay", "calibrator", "downlink latency", 2
	return append(rows, other)
}

// TestTable holds the table against testdata/table.txt and, with every row,
// testdata/all.txt.
func TestTable(t *testing.T) {
	for _, c := range []struct {
		file string
		all  bool
	}{{"testdata/table.txt", false}, {"testdata/all.txt", true}} {
		var b bytes.Buffer
		if err := Print(&b, tableRows(), c.all); err != nil {
			t.Fatal(err)
		}
		if flag.Lookup("update").Value.String() == "true" {
			os.WriteFile(c.file, b.Bytes(), 0o644)
		}
		want, err := os.ReadFile(c.file)
		if err != nil || b.String() != string(want) {
			t.Errorf("%s: it is\n%s\nwant\n%s", c.file, b.String(), want)
		}
	}
}
