// Package roundrobin has the files of a comparison between laboratories: a protocol, which each of them carries out,
// and what each of them had.
package roundrobin

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/upflab/upflab/internal/text/atomicfile"
	"github.com/upflab/upflab/internal/text/printable"
	"github.com/upflab/upflab/internal/text/safefile"
)

// Schema names the version of the files.
const Schema = "upflab.roundrobin/v1"

// The files of a protocol, and that of a laboratory.
const (
	ProtocolFile = "protocol.json"
	ScenarioFile = "scenario.yaml"
	ReadMeFile   = "README.md"
	LabFile      = "laboratory.json"
)

// mostBytes is more than a file of a protocol has.
const mostBytes = 1 << 20

// MostRuns is how many runs a protocol may ask for.
const MostRuns = 100

// Protocol is what each laboratory does.
type Protocol struct {
	Schema   string    `json:"schema"`
	Made     time.Time `json:"made"`
	Upflab   string    `json:"upflab"`          // version
	Scenario string    `json:"scenario_sha256"` // of ScenarioFile
	DUTs     []string  `json:"duts"`            // NAME[:MODE]
	Runs     int       `json:"runs"`            // one after another, under repeatability conditions
}

// ID names the protocol: laboratories whose ID differs did different things.
func (p *Protocol) ID() string {
	return digest([]byte(strings.Join(append([]string{p.Scenario, fmt.Sprint(p.Runs)}, p.DUTs...), "\n")))[:16]
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Pack writes a protocol into a folder, which must not be there, or be empty.
func Pack(dir string, p Protocol, scenario []byte) error {
	if list, err := os.ReadDir(dir); err == nil && len(list) > 0 {
		return fmt.Errorf("%s is not empty: give a new folder", dir)
	}
	p.Schema, p.Scenario = Schema, digest(scenario)
	text, err := json.MarshalIndent(p, "", " ")
	if err != nil {
		return err
	}
	var readMe bytes.Buffer
	if err := instructions.Execute(&readMe, p); err != nil {
		return err
	}
	if err := safefile.MakeFolder(dir, 0o755); err != nil {
		return fmt.Errorf("make the folder of the protocol: %w", err)
	}
	return errors.Join(atomicfile.Write(filepath.Join(dir, ScenarioFile), scenario, 0o644),
		atomicfile.Write(filepath.Join(dir, ReadMeFile), readMe.Bytes(), 0o644),
		atomicfile.Write(filepath.Join(dir, ProtocolFile), append(text, '\n'), 0o644))
}

var instructions = template.Must(template.New("").Parse(`# Round robin: what your laboratory does

Use upflab {{.Upflab}} on a machine that does nothing else. In the folder of this file, type:

    sudo upflab roundrobin run . --lab YOUR-NAME --out YOUR-NAME

It makes {{.Runs}} runs of {{range $i, $d := .DUTs}}{{if $i}}, {{end}}{{$d}}{{end}}, one after another. Do not change the
machine between them. What belongs to your laboratory alone, such as links and CPUs, you give behind ` + "`--`" + `:

    sudo upflab roundrobin run . --lab YOUR-NAME --out YOUR-NAME -- --set cpu.dut=3

Send the folder YOUR-NAME back as it is. Who has those of all laboratories reads them by

    upflab roundrobin report LAB-A LAB-B LAB-C
`))

// Load reads a protocol from its folder, and the path of its scenario.
func Load(dir string) (p Protocol, scenario string, err error) {
	if err := read(filepath.Join(dir, ProtocolFile), &p); err != nil {
		return p, "", fmt.Errorf("read a round robin's protocol: %w; `upflab roundrobin pack` makes one", err)
	}
	if p.Schema != Schema || p.Runs < 1 || p.Runs > MostRuns || len(p.DUTs) == 0 {
		return p, "", fmt.Errorf("%s is no protocol of %s: was it edited?", filepath.Join(dir, ProtocolFile), Schema)
	}
	scenario = filepath.Join(dir, ScenarioFile)
	text, err := safefile.Read(scenario, mostBytes)
	if err != nil {
		return p, "", fmt.Errorf("read a round robin's scenario: %w", err)
	}
	if digest(text) != p.Scenario {
		return p, "", fmt.Errorf("%s is not the one that the protocol was made with: ask for the folder again", scenario)
	}
	return p, scenario, nil
}

func read(path string, into any) error {
	data, err := safefile.Read(path, mostBytes)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// Lab is what a laboratory says of itself.
type Lab struct {
	Schema   string    `json:"schema"`
	Name     string    `json:"laboratory"`
	Protocol string    `json:"protocol"` // Protocol.ID
	Machine  string    `json:"machine"`  // fingerprint
	Upflab   string    `json:"upflab"`
	Began    time.Time `json:"began"`
	Runs     []string  `json:"runs"` // folders of its valid runs, in the order of measurement
}

// CheckName refuses what a laboratory cannot be called.
func CheckName(name string) error {
	if name == "" || len(name) > 64 || printable.Line(name) != name {
		return fmt.Errorf("a laboratory cannot be called %q: give one line of at most 64 characters", name)
	}
	return nil
}

// Save writes it into the laboratory's folder.
func (l *Lab) Save(dir string) error {
	l.Schema = Schema
	data, err := json.MarshalIndent(l, "", " ")
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(dir, LabFile), append(data, '\n'), 0o644)
}

// LoadLab reads the folder of a laboratory.
func LoadLab(dir string) (l Lab, err error) {
	if err := read(filepath.Join(dir, LabFile), &l); err != nil {
		return l, fmt.Errorf("read a laboratory's folder: %w; `upflab roundrobin run` makes one", err)
	}
	if err := CheckName(l.Name); err != nil {
		return l, fmt.Errorf("%s: %w", dir, err)
	}
	if l.Schema != Schema {
		return l, fmt.Errorf("%s is of %q, and this upflab reads %q", filepath.Join(dir, LabFile), l.Schema, Schema)
	}
	for i, run := range l.Runs {
		if slices.Contains(l.Runs[:i], run) {
			return l, fmt.Errorf("%s names the run %q twice", filepath.Join(dir, LabFile), run)
		}
		if run != filepath.Base(run) || run == "." || run == ".." {
			return l, fmt.Errorf("%s names the run %q, which is no folder in it", filepath.Join(dir, LabFile), run)
		}
	}
	return l, nil
}
