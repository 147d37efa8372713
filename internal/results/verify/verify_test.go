package verify

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/results/rawdata"
	"github.com/upflab/upflab/internal/results/store"
)

// measured is a run of `upflab run quick` on a virtual machine, with short trials: two repeats, thresholds.
const measured = "testdata/run"

// copied is a copy of the run in which files can be changed.
func copied(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(measured)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestAllFiguresAgree(t *testing.T) {
	r, err := Folder(measured)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Differs) > 0 || r.Trials < 4 || r.Agree < 1000 {
		t.Errorf("%d trials, %d agree, these differ: %+v", r.Trials, r.Agree, r.Differs)
	}
}

// lastDigit changes the last digit of a number.
func lastDigit(number string) string {
	mantissa, exponent := number, ""
	if at := strings.IndexAny(number, "eE"); at >= 0 {
		mantissa, exponent = number[:at], number[at:]
	}
	last := mantissa[len(mantissa)-1]
	if last == '9' {
		last = '8'
	} else {
		last++
	}
	return mantissa[:len(mantissa)-1] + string(last) + exponent
}

// numbersOf are where the numbers of a JSON text are: by their paths.
func numbersOf(t *testing.T, text []byte) (paths []string, l *leaves) {
	t.Helper()
	l, err := leavesOf(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range l.order {
		if l.values[p].number {
			paths = append(paths, p)
		}
	}
	return paths, l
}

// TestEachAlteredFigureIsFound: of each number of a real result, altered in its last digit, either verify finds
// it, or it lists it among those that do not follow from raw data.
func TestEachAlteredFigureIsFound(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(measured, store.FileName))
	if err != nil {
		t.Fatal(err)
	}
	given, err := store.Load(measured)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := rawdata.Open(measured, given)
	if err != nil {
		t.Fatal(err)
	}
	again, covers, err := recompute(given, raw)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(again)
	if err != nil {
		t.Fatal(err)
	}
	all, err := leavesOf(encoded)
	if err != nil {
		t.Fatal(err)
	}
	paths, l := numbersOf(t, text)
	found, listed := 0, 0
	for _, p := range paths {
		altered := &leaves{[]string{p}, map[string]leaf{p: {text: lastDigit(l.values[p].text), number: true}}}
		want := &leaves{[]string{p}, map[string]leaf{p: all.values[p]}}
		r := compareLeaves(altered, want, &coverage{paths: covers.paths, except: covers.except})
		switch {
		case r.has(p):
			found++
		case len(r.Not) == 1 && r.Not[0].Values == 1 && r.Not[0].Why != "":
			listed++
		default:
			t.Errorf("%s: %s for %s is neither found nor listed", p, altered.values[p].text, l.values[p].text)
		}
	}
	t.Logf("of %d numbers %d are found when their last digit is altered, and %d are listed as not computed again", len(paths), found, listed)
	if found < 9*listed {
		t.Errorf("%d found and %d listed", found, listed)
	}
}

func (r *Report) has(path string) bool {
	for _, d := range r.Differs {
		if d.Path == path && d.Has != "" {
			return true
		}
	}
	return false
}

// TestAlteredInTheFile: the same by the file itself, for one number in 199: what is computed again does not
// follow what the file says.
func TestAlteredInTheFile(t *testing.T) {
	dir := copied(t)
	name := filepath.Join(dir, store.FileName)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	paths, l := numbersOf(t, text)
	places := numberPlaces(t, text)
	if len(places) != len(paths) {
		t.Fatalf("%d places of %d numbers", len(places), len(paths))
	}
	for i, p := range paths {
		if i%199 != 0 {
			continue
		}
		was := l.values[p].text
		altered := string(text[:places[i]]) + lastDigit(was) + string(text[places[i]+len(was):])
		if err := os.WriteFile(name, []byte(altered), 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := Folder(dir)
		if err != nil {
			continue // a file that is not what the result says, or no result at all
		}
		if !r.has(p) && !covered(r, p) {
			t.Errorf("%s: %s for %s: not found, and not listed", p, lastDigit(was), was)
		}
	}
}

// covered reports whether the numbers of a path are listed.
func covered(r *Report, path string) bool {
	for _, n := range r.Not {
		if n.What == group(path) {
			return true
		}
	}
	return false
}

// numberPlaces are the offsets of all numbers of a JSON text, in its order.
func numberPlaces(t *testing.T, text []byte) (list []int) {
	t.Helper()
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == '-' || c >= '0' && c <= '9'):
			list = append(list, i)
			for i+1 < len(text) && strings.IndexByte("0123456789+-.eE", text[i+1]) >= 0 {
				i++
			}
		}
	}
	return list
}

// TestNothingToCompareWith: each way in which raw data are not there is a sentence.
func TestNothingToCompareWith(t *testing.T) {
	for what, c := range map[string]struct {
		damage func(dir string) error
		want   string
	}{
		"cut off": {func(dir string) error { return os.Truncate(filepath.Join(dir, "raw/windows.csv.gz"), 100) }, "is cut off: it has 100 bytes of"},
		"altered": {func(dir string) error {
			f, err := os.OpenFile(filepath.Join(dir, "raw/histograms.csv.gz"), os.O_RDWR, 0)
			if err == nil {
				defer f.Close()
				_, err = f.WriteAt([]byte{0}, 200)
			}
			return err
		}, "is not what the run wrote"},
		"gone":   {func(dir string) error { return os.Remove(filepath.Join(dir, "raw/trials.jsonl.gz")) }, "copy the whole folder"},
		"no raw": {func(dir string) error { return os.RemoveAll(filepath.Join(dir, "raw")) }, "copy the whole folder"},
		"no run": {os.RemoveAll, "name the folder of a run"},
		"another": {func(dir string) error {
			return replace(filepath.Join(dir, "raw/registered.json"), `"run": "`, `"run": "x`)
		}, "are of another run"},
		"older": {func(dir string) error {
			r, err := store.Load(dir)
			if err == nil {
				r.Raw, r.Registered = nil, nil
				err = store.Save(dir, r)
			}
			return err
		}, "it has no raw data"},
		"other settings": {func(dir string) error { return replace(filepath.Join(dir, store.FileName), `warmup: `, `warmup:  `) },
			"is not the one that was settled"},
	} {
		dir := copied(t)
		if err := c.damage(dir); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if _, err := Folder(dir); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", what, err, c.want)
		}
	}
}

func replace(name, old, by string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	return os.WriteFile(name, []byte(strings.Replace(string(text), old, by, 1)), 0o644)
}

// TestKilledInATrial: what a killed run appended and no result names is not read.
func TestKilledInATrial(t *testing.T) {
	dir := copied(t)
	f, err := os.OpenFile(filepath.Join(dir, "raw/windows.csv.gz"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("half a member"); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if r, err := Folder(dir); err != nil || len(r.Differs) > 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// altered is the report on a copy whose result.json was changed as JSON.
func altered(t *testing.T, change func(r map[string]any)) (*Report, error) {
	t.Helper()
	dir := copied(t)
	name := filepath.Join(dir, store.FileName)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	var r map[string]any
	if err := d.Decode(&r); err != nil {
		t.Fatal(err)
	}
	change(r)
	if text, err = json.Marshal(r); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return Folder(dir)
}

// trialsIn are the trials of a DUT of a result as JSON.
func trialsIn(r map[string]any, dut int) (d map[string]any, list []any) {
	d = r["duts"].([]any)[dut].(map[string]any)
	return d, d["trials"].([]any)
}

// TestTrialsAreThoseOfTheRawData: a result whose trials do not name their raw data, or that leaves trials out, is not
// what the run wrote. Record 8 is of an attempt that was repeated as record 9.
func TestTrialsAreThoseOfTheRawData(t *testing.T) {
	strip := func(r map[string]any, dut, n int) {
		_, list := trialsIn(r, dut)
		delete(list[n].(map[string]any), "raw")
	}
	for what, c := range map[string]struct {
		change func(r map[string]any)
		want   string
		n      int
	}{
		"one without":  {func(r map[string]any) { strip(r, 1, 2) }, "duts[1].trials[2] names no raw data", 2},
		"the repeated": {func(r map[string]any) { strip(r, 0, 3) }, "raw data 8 (wire, latency uplink 2k, repeat 2) are of no trial", 3},
		"all without": {func(r map[string]any) {
			for i := range 4 {
				strip(r, 0, i)
				strip(r, 1, i)
			}
		}, "raw data 1 (wire, load uplink 5k, repeat 1) are of no trial", 17},
		"left out": {func(r map[string]any) {
			d, list := trialsIn(r, 1)
			d["trials"] = append(list[:1:1], list[2:]...)
		}, "raw data 4 (builtin:xdp, latency uplink 2k, repeat 1) are of no trial", 1},
		"ended early": {func(r map[string]any) {
			r["complete"] = false
			strip(r, 1, 1)
		}, "raw data 4 (builtin:xdp, latency uplink 2k, repeat 1) are of no trial", 2},
		"full": {func(r map[string]any) {
			r["raw"].(map[string]any)["full"] = true
			strip(r, 1, 1)
		}, "raw.full is true, and the raw data have", 3},
		"twice": {func(r map[string]any) {
			_, list := trialsIn(r, 1)
			list[2] = list[0]
		}, "duts[1].trials[2] has raw data 3, which are of another trial, too", 2},
	} {
		r, err := altered(t, c.change)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if all := strings.Join(r.Unmatched, "\n"); !strings.Contains(all, c.want) || len(r.Unmatched) != c.n {
			t.Errorf("%s: %d, want %d with %q:\n%s", what, len(r.Unmatched), c.n, c.want, all)
		}
	}
}

// TestEachAlteredWordIsFoundOrListed: what is no number, too.
func TestEachAlteredWordIsFoundOrListed(t *testing.T) {
	r, err := altered(t, func(r map[string]any) {
		r["started"], r["complete"], r["notes"] = "2020-01-01T00:00:00Z", false, []string{"all is well"}
		d, list := trialsIn(r, 1)
		d["version"] = "forged"
		x := list[0].(map[string]any)
		x["limited_by"] = "generator"
		x["reasons"] = append(x["reasons"].([]any), "of no interest")
	})
	if err != nil {
		t.Fatal(err)
	}
	if !r.has("duts[1].trials[0].limited_by") {
		t.Errorf("limited_by: %+v", r.Differs)
	}
	for _, p := range []string{"started", "complete", "notes", "duts[].version", "duts[].trials[].reasons"} {
		listed := false
		for _, n := range r.Not {
			listed = listed || n.What == p && n.Values > 0 && n.Why != ""
		}
		if !listed {
			t.Errorf("%s is not listed: %+v", p, r.Not)
		}
	}
}

// TestNumbersHoweverWritten: as Python, jq and Go write them. A last digit counts.
func TestNumbersHoweverWritten(t *testing.T) {
	for _, c := range []struct {
		has, want string
		same      bool
	}{
		{"3.760260484040679e-05", "0.00003760260484040679", true},
		{"3.760260484040678e-05", "0.00003760260484040679", false},
		{"0.10000000000000001", "0.1", true}, // 17 digits
		{"0.10000000000000002", "0.1", false},
		{"1e8", "100000000", true},
		{"100000000.0", "100000000", true},
		{"-1E+2", "-100", true},
		{"100", "-100", false},
		{"0.0", "0", true},
		{"18446744073709551615", "18446744073709551614", false},
		{"18446744073709552000", "18446744073709551615", false},
		{"1e99999999999", "1", false},
	} {
		if got := sameNumber(c.has, c.want); got != c.same {
			t.Errorf("%s and %s: %v", c.has, c.want, got)
		}
	}
}

// TestCertificateIsOfItsFigures: the name of a calibration follows from what it says.
func TestCertificateIsOfItsFigures(t *testing.T) {
	made := record.Calibration{Machine: "0123456789abcdef", Device: "builtin:xdp", Runs: 8, Days: 1, Scatter: []record.Scatter{{Figure: "x", SD: 0.03, DF: 7}}}
	made.Seal()
	for _, sd := range []float64{0.03, 0.003} {
		c := made
		c.Scatter = []record.Scatter{{Figure: "x", SD: sd, DF: 7}}
		r, err := altered(t, func(r map[string]any) { r["calibration"] = c })
		if err != nil {
			t.Fatal(err)
		}
		if found := r.has("calibration.certificate"); found != (sd != 0.03) {
			t.Errorf("%g: %v", sd, r.Differs)
		}
	}
}
