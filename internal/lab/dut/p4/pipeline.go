package p4

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	configv1 "github.com/p4lang/p4runtime/go/p4/config/v1"
	"google.golang.org/protobuf/encoding/prototext"

	"github.com/upflab/upflab/internal/lab/dut/p4/p4rt"
	"github.com/upflab/upflab/internal/text/safefile"
)

// UP4's names of what grows with the sessions, in p4src/main.p4.
var (
	growingTables = []string{
		"PreQosPipe.sessions_uplink", "PreQosPipe.sessions_downlink",
		"PreQosPipe.terminations_uplink", "PreQosPipe.terminations_downlink",
	}
	growingCounters = []string{preQoS, postQoS}
	growingMeters   = []string{"PreQosPipe.app_meter", "PreQosPipe.session_meter"}
)

// UP4's counters of packets that matched a rule, and of those that it sends.
const (
	preQoS  = "PreQosPipe.pre_qos_counter"
	postQoS = "PostQosPipe.post_qos_counter"
)

// shipped is the size of all of them in the program as UP4 has it.
const shipped = 1024

// cells are how many of each the sessions get. One needs two, a counter for each PDR
// and a meter for each direction; the first is everybody's. But pfcpiface does a
// repeated request again and never frees what the first one took: with room for two
// only, a busy machine had 231 of 600 sessions.
func cells(sessions int) int { return max(shipped, 8*sessions+1) }

// loadProgram reads UP4's compiled program and enlarges it to so many cells. It writes
// what the switch gets into dir, and returns the names of those files.
func loadProgram(p programs, size int, dir string) (p4rt.Program, []string, error) {
	device, err := enlarged(p.device, size, enlargeDevice)
	if err != nil {
		return p4rt.Program{}, nil, err
	}
	text, err := enlarged(p.info, size, enlargeInfo)
	if err != nil {
		return p4rt.Program{}, nil, err
	}
	var info configv1.P4Info
	if err := prototext.Unmarshal(text, &info); err != nil {
		return p4rt.Program{}, nil, fmt.Errorf("read %s: %w", p.info, err)
	}
	files := []string{filepath.Join(dir, deviceFile), filepath.Join(dir, infoFile)}
	for i, b := range [][]byte{device, text} {
		if err := safefile.Write(files[i], b, 0o644); err != nil {
			return p4rt.Program{}, nil, fmt.Errorf("write the switch's program: %w", err)
		}
	}
	return p4rt.Program{Info: &info, Device: device}, files, nil
}

func enlarged(path string, size int, by func([]byte, int) ([]byte, error)) ([]byte, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read UP4's program: %w", err)
	}
	if size <= shipped {
		return b, nil
	}
	if b, err = by(b, size); err != nil {
		return nil, fmt.Errorf("enlarge the tables of %s: %w", path, err)
	}
	return b, nil
}

// enlargeDevice gives BMv2's JSON room for size cells in all that grows.
func enlargeDevice(b []byte, size int) ([]byte, error) {
	var program map[string]any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&program); err != nil {
		return nil, err
	}
	grown := 0
	for _, pipeline := range objects(program["pipelines"]) {
		grown += grow(pipeline["tables"], growingTables, "max_size", size)
	}
	grown += grow(program["counter_arrays"], growingCounters, "size", size)
	grown += grow(program["meter_arrays"], growingMeters, "size", size)
	if want := len(growingTables) + len(growingCounters) + len(growingMeters); grown != want {
		return nil, fmt.Errorf("it has %d of the %d tables, counters and meters of UP4: is it UP4's bmv2.json?", grown, want)
	}
	return json.MarshalIndent(program, "", " ")
}

// grow sets a field of those objects of a list that have one of the names.
func grow(list any, names []string, field string, size int) (n int) {
	for _, o := range objects(list) {
		if name, _ := o["name"].(string); slices.Contains(names, name) {
			o[field] = size
			n++
		}
	}
	return n
}

func objects(list any) (all []map[string]any) {
	items, _ := list.([]any)
	for _, i := range items {
		if o, ok := i.(map[string]any); ok {
			all = append(all, o)
		}
	}
	return all
}

// enlargeInfo does the same for the P4Info, from which pfcpiface takes how many
// counters and meters there are.
func enlargeInfo(b []byte, size int) ([]byte, error) {
	var info configv1.P4Info
	if err := prototext.Unmarshal(b, &info); err != nil {
		return nil, err
	}
	for _, t := range info.Tables {
		if slices.Contains(growingTables, t.GetPreamble().GetName()) {
			t.Size = int64(size)
		}
	}
	for _, c := range info.Counters {
		if slices.Contains(growingCounters, c.GetPreamble().GetName()) {
			c.Size = int64(size)
		}
	}
	for _, m := range info.Meters {
		if slices.Contains(growingMeters, m.GetPreamble().GetName()) {
			m.Size = int64(size)
		}
	}
	return prototext.MarshalOptions{Multiline: true}.Marshal(&info)
}
