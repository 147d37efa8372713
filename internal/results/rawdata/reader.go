package rawdata

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/upflab/upflab/internal/measure/trial"
	"github.com/upflab/upflab/internal/proto/histogram"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/safefile"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/delayprobe"
	"github.com/upflab/upflab/internal/traffic/window"
)

// mostText is what the text of a file may have, octets: a file is not trusted to unpack to anything.
const mostText = 4 << 30

// Run is the raw data of a run.
type Run struct {
	Registered *record.Registered
	dir        string
	data       *record.RawData
	windows    map[uint64][][]string // rows by trial
	buckets    map[uint64][][]string
	passages   map[uint64][][]string
	lines      map[uint64][]byte
}

// Open reads the raw data that belong to a result in its folder. Every error is a sentence about the
// folder.
func Open(dir string, r *record.Result) (*Run, error) {
	if r.Raw == nil || r.Registered == nil {
		return nil, errors.New("it has no raw data: its figures cannot be computed again. upflab keeps raw data since 1.4; measure again")
	}
	if r.Raw.Schema != Schema {
		return nil, fmt.Errorf("its raw data are of schema %q; this upflab reads %q: use the upflab that wrote them", r.Raw.Schema, Schema)
	}
	x := &Run{dir: dir, data: r.Raw, lines: map[uint64][]byte{}}
	if err := x.register(r); err != nil {
		return nil, err
	}
	for _, t := range []struct {
		name string
		rows *map[uint64][][]string
	}{{windowsFile, &x.windows}, {histogramsFile, &x.buckets}, {passagesFile, &x.passages}} {
		text, err := x.read(t.name)
		if err == nil {
			*t.rows, err = table(t.name, text)
		}
		if err != nil {
			return nil, err
		}
	}
	text, err := x.read(trialsFile)
	if err != nil {
		return nil, err
	}
	for n, l := range bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")) {
		if len(l) > 0 {
			x.lines[uint64(n+1)] = l
		}
	}
	return x, nil
}

// register reads whose data they are.
func (x *Run) register(r *record.Result) error {
	name := filepath.Join(x.dir, Folder, registerFile)
	text, err := safefile.Read(name, 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is not there: copy the whole folder of the run", name)
	}
	var reg register
	if err == nil {
		err = json.Unmarshal(text, &reg)
	}
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", name, err)
	case reg.Run != r.Run:
		return fmt.Errorf("the raw data are of another run: %s is of run %q, and the result of run %q", name, reg.Run, r.Run)
	case reg.Registered == nil:
		return fmt.Errorf("%s does not say what was settled before the run", name)
	}
	x.Registered = reg.Registered
	return nil
}

// read gives the text of a file, of which the result says how long it is.
func (x *Run) read(name string) ([]byte, error) {
	path := filepath.Join(x.dir, Folder, name)
	want := record.RawFile{}
	for _, f := range x.data.Files {
		if f.Name == Folder+"/"+name {
			want = f
		}
	}
	if want.Name == "" {
		return nil, fmt.Errorf("the result does not list %s", name)
	}
	data, err := safefile.Read(path, 4*MostBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s is not there: copy the whole folder of the run", path)
	case err != nil:
		return nil, fmt.Errorf("reading raw data: %w", err)
	case int64(len(data)) < want.Bytes:
		return nil, fmt.Errorf("%s is cut off: it has %d bytes of %d; copy it again", path, len(data), want.Bytes)
	}
	data = data[:max(0, want.Bytes)]
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != want.SHA256 {
		return nil, fmt.Errorf("%s is not what the run wrote: its SHA-256 is %s, and the result has %s", path, hex.EncodeToString(sum[:]), want.SHA256)
	}
	if len(data) == 0 {
		return nil, nil
	}
	zip, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	text, err := io.ReadAll(io.LimitReader(zip, mostText))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return text, nil
}

// table are the rows of a file by trial.
func table(name string, text []byte) (map[uint64][][]string, error) {
	rows := map[uint64][][]string{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	head := strings.TrimSuffix(columns[name], "\n")
	for n := 0; lines.Scan(); n++ {
		if n == 0 {
			if lines.Text() != head {
				return nil, fmt.Errorf("%s begins with %.80q, not with %q", name, lines.Text(), head)
			}
			continue
		}
		row := strings.Split(lines.Text(), ",")
		id, err := strconv.ParseUint(row[0], 10, 64)
		if err != nil || len(row) != strings.Count(head, ",")+1 {
			return nil, fmt.Errorf("%s, line %d: %.80q is no row of %q", name, n+1, lines.Text(), head)
		}
		rows[id] = append(rows[id], row)
	}
	return rows, lines.Err()
}

// Trial gives the raw data of the record of a number.
func (x *Run) Trial(id uint64) (*trial.Raw, error) {
	text, found := x.lines[id]
	if !found {
		return nil, fmt.Errorf("the raw data have no trial %d", id)
	}
	l := line{Raw: &trial.Raw{}}
	if err := json.Unmarshal(text, &l); err != nil {
		return nil, fmt.Errorf("%s, trial %d: %w", trialsFile, id, err)
	}
	if l.ID != id {
		return nil, fmt.Errorf("%s: line %d is of trial %d", trialsFile, id, l.ID)
	}
	r := l.Raw
	r.Outcome = l.Traffic.restore()
	for i := range r.Series {
		r.Series[i].Latency = &traffic.Histogram{}
		if i < len(l.Traffic.PointsSummary) {
			l.Traffic.PointsSummary[i].into(r.Series[i].Latency)
		}
	}
	f := filler{r: r}
	for _, row := range x.windows[id] {
		f.window(row)
	}
	for _, row := range x.buckets[id] {
		f.bucket(row)
	}
	for _, row := range x.passages[id] {
		f.passage(row)
	}
	if f.err != nil {
		return nil, fmt.Errorf("raw data of trial %d: %w", id, f.err)
	}
	return r, nil
}

// filler puts rows of tables into an outcome.
type filler struct {
	r   *trial.Raw
	err error
}

func (f *filler) number(text string) uint64 {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		f.fail("%q is no number", text)
	}
	return n
}

func (f *filler) fail(format string, args ...any) {
	if f.err == nil {
		f.err = fmt.Errorf(format, args...)
	}
}

// flow is the number of a flow; -1: the generator.
func (f *filler) flow(name string, most int) int {
	for i, n := range flowNames {
		if n == name && i < most {
			return i
		}
	}
	if name != generator {
		f.fail("flow %q is not one of its flows", name)
	}
	return -1
}

func (f *filler) window(row []string) {
	o := &f.r.Outcome
	var n [15]uint64
	for i := 2; i < len(row); i++ {
		n[i] = f.number(row[i])
	}
	t := traffic.Tally{Intended: n[5], Skipped: n[6], Late: n[7], Stalls: n[8], Sent: n[9], SentBytes: n[10], Received: n[11],
		ReceivedBytes: n[12], Jitter: traffic.Jitter{Sum: n[13], Count: n[14]}}
	put := func(l *traffic.Tallies) {
		if n[3] > 0 {
			t.ID = n[2] >> (l.Level + window.Bits)
			l.List = append(l.List, t)
		}
	}
	i, counts := f.flow(row[1], len(o.Flows)), n[4] == 1
	switch {
	case f.err != nil:
	case i < 0 && counts:
		o.Intended, o.Sent, o.Skipped = o.Intended+t.Intended, o.Sent+t.Sent, o.Skipped+t.Skipped
		o.LateSlots, o.Stalls = o.LateSlots+t.Late, o.Stalls+t.Stalls
		put(&o.Tallies)
	case i < 0:
		x := &o.Excluded
		x.Intended, x.Sent, x.Skipped = x.Intended+t.Intended, x.Sent+t.Sent, x.Skipped+t.Skipped
		x.LateSlots, x.Stalls = x.LateSlots+t.Late, x.Stalls+t.Stalls
		put(&x.Tallies)
	case counts:
		x := &o.Flows[i]
		x.Sent, x.SentBytes = x.Sent+t.Sent, x.SentBytes+t.SentBytes
		x.Received, x.ReceivedBytes = x.Received+t.Received, x.ReceivedBytes+t.ReceivedBytes
		x.Jitter.Sum, x.Jitter.Count = x.Jitter.Sum+t.Jitter.Sum, x.Jitter.Count+t.Jitter.Count
		if x.Jitter.Count > 0 {
			x.JitterNS = x.Jitter.Nanoseconds()
		}
		put(&x.Tallies)
	case i < len(o.Excluded.Received):
		o.Excluded.Received[i] += t.Received
		put(&o.Excluded.FlowTallies[i])
	}
}

func (f *filler) bucket(row []string) {
	o := &f.r.Outcome
	part, err := strconv.ParseInt(row[3], 10, 64)
	if err != nil {
		f.fail("%q is no part", row[3])
		return
	}
	bucket, n := histogram.Bucket(f.number(row[4])), f.number(row[5])
	var into *traffic.Histogram
	i := f.flow(row[1], len(o.Flows))
	if f.err != nil {
		return
	}
	switch what := row[2]; {
	case i < 0 && what == lateness:
		into = &o.Lateness
	case i < 0 && what == point && part >= 0 && part < int64(len(f.r.Series)):
		into = f.r.Series[part].Latency
	case i < 0:
		f.fail("%q is no distribution of the generator", what)
		return
	case what == dueExcluded && i < len(o.Excluded.Latency):
		into = &o.Excluded.Latency[i]
	default:
		if into = distribution(&o.Flows[i], what); into == nil {
			f.fail("%q is no distribution of a flow", what)
			return
		}
	}
	into.Counts[bucket] += n
	into.Count += n
	if row[2] == due && part != whole {
		block(&o.Flows[i].Blocks, uint64(part))[bucket] += uint32(n)
	}
}

func distribution(f *traffic.FlowOutcome, what string) *traffic.Histogram {
	return map[string]*traffic.Histogram{due: &f.Latency, sent: &f.Actual, ipdv: &f.IPDV, extent: &f.Extents,
		roundTrip: &f.RoundTrips.Returns, nic: &f.Stamps.Latency}[what]
}

// block is the one of an ID: rows come in the order of blocks.
func block(b *traffic.Blocks, id uint64) []uint32 {
	if n := len(b.List); n == 0 || b.List[n-1].ID != id {
		b.List = append(b.List, traffic.Block{ID: id, Counts: make([]uint32, histogram.Buckets)})
	}
	return b.List[len(b.List)-1].Counts
}

func (f *filler) passage(row []string) {
	f.r.Passages = append(f.r.Passages, delayprobe.Passage{Direction: record.Direction(row[1]), Due: f.number(row[2]),
		SinceDue: uint32(f.number(row[3])), Took: uint32(f.number(row[4])), Session: uint32(f.number(row[5]))})
}

// Data is what the result says of the files.
func (x *Run) Data() *record.RawData { return x.data }

// Trials is how many records there are.
func (x *Run) Trials() uint64 { return uint64(len(x.lines)) }
