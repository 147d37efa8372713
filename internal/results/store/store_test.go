package store

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/fuzztest"
)

func sample() *record.Result {
	return &record.Result{
		Schema: record.Schema, Run: "a1b2", Scenario: "load-latency", Settings: "payload: 1400\n",
		Command: []string{"upflab", "run"}, Started: time.Date(2026, 11, 21, 1, 54, 23, 0, time.UTC),
		DUTs: []record.DUT{{Name: "wire", Reference: true, Status: record.StatusOK, Trials: []record.Trial{{
			Kind: record.KindLoad, Direction: "uplink", Load: record.Load{PPS: 150e3},
			Traffic: record.Traffic{
				TxPackets: math.MaxUint64,
				Latency:   &record.Latency{Min: 700, Buckets: []record.Bucket{{UpTo: 704, Count: 3}}},
			},
			Judgement: record.Judgement{Reasons: []string{}},
		}}}},
	}
}

func TestSavedResultLoadsBack(t *testing.T) {
	dir := t.TempDir()
	want := sample()
	if err := Save(dir, want); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, filepath.Join(dir, FileName)} {
		got, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("Load(%s) = %+v, want %+v", path, got, want)
		}
	}
}

func TestSaveReplacesAndLeavesNothingBeside(t *testing.T) {
	dir := t.TempDir()
	r := sample()
	for _, run := range []string{"first", "second"} {
		r.Run = run
		if err := Save(dir, r); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Load(dir)
	if err != nil || got.Run != "second" {
		t.Errorf("after two saves: run %v, error %v", got, err)
	}
	files, _ := os.ReadDir(dir)
	if len(files) != 1 {
		t.Errorf("files left in the folder: %v", files)
	}
	info, err := os.Stat(filepath.Join(dir, FileName))
	if err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("mode %v, error %v; others must be able to read it", info.Mode(), err)
	}
}

func TestSaveErrors(t *testing.T) {
	nan := sample()
	nan.DUTs[0].Trials[0].TxPPS = math.NaN()
	for _, c := range []struct {
		story string
		dir   string
		r     *record.Result
		want  string
	}{
		{"a rate over no time", t.TempDir(), nan, "a number in it is NaN"},
		{"the folder was removed", filepath.Join(t.TempDir(), "gone"), sample(), "make the folder first"},
	} {
		err := Save(c.dir, c.r)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q in it", c.story, err, c.want)
		}
	}
}

func TestDecodeErrors(t *testing.T) {
	whole, err := encode(sample())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ story, data, want string }{
		{"killed before the first byte", "", "the file is empty"},
		{"copied half", string(whole[:len(whole)/2]), "cut short"},
		{"somebody's JSON", `{"name":"x"}`, `no "schema"`},
		{"a list", `[1,2]`, `no "schema"`},
		{"schema is null", `{"schema":null}`, `its schema is null`},
		{"not JSON", "name: x\n", "not JSON"},
		{"of a later upflab", `{"schema":"upflab.result/v2"}`, "use the upflab that wrote it"},
		{"two in one file", string(whole) + string(whole), "not JSON"},
		{"edited", `{"schema":"upflab.result/v1","duts":[{"trials":[{"tx_packets":-1}]}]}`, "tx_packets"},
		{"a number for text", `{"schema":"upflab.result/v1","run":7}`, "run is a JSON number"},
	} {
		_, err := Decode([]byte(c.data))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q in it", c.story, err, c.want)
		}
	}
}

func TestLoadNamesWhatItLookedFor(t *testing.T) {
	dir := t.TempDir()
	_, err := Load(dir)
	if err == nil || !strings.Contains(err.Error(), filepath.Join(dir, FileName)) {
		t.Errorf("error %v, want the path in it", err)
	}
}

func FuzzDecode(f *testing.F) {
	fuzztest.Brief(f)
	whole, err := encode(sample())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte(`{"schema":"upflab.result/v1","duts":[{}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Decode(data)
		if err == nil && r.Schema != record.Schema {
			t.Errorf("read schema %q", r.Schema)
		}
	})
}
