package impair

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/text/fuzztest"
)

func TestParse(t *testing.T) {
	both := func(p Parameters) Plan { return Plan{p, p} }
	for text, want := range map[string]Plan{
		"":                                        {},
		"loss=0.013":                              both(Parameters{Loss: Chance{P: 0.013}}),
		"loss=1/100":                              both(Parameters{Loss: Chance{Every: 100}}),
		"loss=1":                                  both(Parameters{Loss: Chance{P: 1}}),
		"delay=250us":                             both(Parameters{Delay: 250 * time.Microsecond}),
		"delay=1ms,jitter=100us":                  both(Parameters{Delay: time.Millisecond, Jitter: 100 * time.Microsecond}),
		"jitter=1ms,delay=1ms":                    both(Parameters{Delay: time.Millisecond, Jitter: time.Millisecond}),
		"rate=80kpps,queue=64":                    both(Parameters{Rate: 80e3, Queue: 64}),
		"rate=1.5M,service=constant":              both(Parameters{Rate: 1.5e6, Service: Constant}),
		"rate=500,batch=32":                       both(Parameters{Rate: 500, Batch: 32}),
		"reorder=0.01,depth=3,seed=9":             both(Parameters{Reorder: Chance{P: 0.01}, Depth: 3, Seed: 9}),
		"stall=20ms/1s":                           both(Parameters{Stall: Stall{20 * time.Millisecond, time.Second}}),
		"mbr=90Mbps,bucket=20000":                 both(Parameters{MBR: 90e6, Bucket: 20000}),
		"downlink.mbr=2.5G":                       {Downlink: Parameters{MBR: 2.5e9}},
		"uplink.loss=0.1":                         {Uplink: Parameters{Loss: Chance{P: 0.1}}},
		"uplink.loss=0.1,loss=0.2":                {Uplink: Parameters{Loss: Chance{P: 0.1}}, Downlink: Parameters{Loss: Chance{P: 0.2}}},
		"wrong-teid=0.01":                         {Downlink: Parameters{WrongTEID: Chance{P: 0.01}}},
		"downlink.corrupt=1/2":                    {Downlink: Parameters{Corrupt: Chance{Every: 2}}},
		" loss=0.5 , duplicate=0.25":              both(Parameters{Loss: Chance{P: 0.5}, Duplicate: Chance{P: 0.25}}),
		"delay=1us,jitter=1s,distribution=normal": both(Parameters{Delay: time.Microsecond, Jitter: time.Second, Distribution: Normal}),
	} {
		got, err := Parse(text)
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for text, about := range map[string]string{
		"los=1":                "there is no such parameter",
		"loss":                 "a value is missing",
		"loss=":                "a value is missing",
		",":                    "a value is missing",
		"loss=1.1":             "probability",
		"loss=-0.1":            "probability",
		"loss=NaN":             "probability",
		"loss=1/0":             "every hundredth",
		"loss=0.1,loss=0.2":    "given twice",
		"delay=5":              "like 250us",
		"delay=11s":            "0s..10s",
		"jitter=1us":           "without delay",
		"delay=1us,jitter=2us": "leave before it came",
		"delay=1us,jitter=1us,distribution=gamma": "none of",
		"queue=64":                 "without rate",
		"rate=80kpps,queue=0":      "1..65536",
		"rate=0":                   "1pps..10Mpps",
		"rate=20Mpps":              "1pps..10Mpps",
		"rate=inf":                 "1pps..10Mpps",
		"mbr=900":                  "1kbps..100Gbps",
		"mbr=fast":                 "1kbps..100Gbps",
		"bucket=5":                 "without mbr",
		"depth=2":                  "without reorder",
		"stall=1s/1s":              "PAUSE/PERIOD",
		"stall=20ms":               "PAUSE/PERIOD",
		"seed=0":                   "1 or more",
		"uplink.wrong-teid=0.1":    "no TEID",
		"sideways.loss=0.1":        "there is no such parameter",
		"uplink.downlink.loss=0.1": "there is no such parameter",
	} {
		_, err := Parse(text)
		var wrong *ParameterError
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), about) || !strings.Contains(err.Error(), "wrong-teid") {
			t.Errorf("%q: %v; want %q and the list", text, err, about)
		}
	}
}

func FuzzParse(f *testing.F) {
	fuzztest.Brief(f)
	f.Add("loss=0.013,downlink.rate=80kpps,queue=64,stall=20ms/1s")
	f.Fuzz(func(t *testing.T, text string) {
		if p, err := Parse(text); err == nil && p.buffers() < 1 {
			t.Errorf("%q: %+v", text, p)
		}
	})
}
