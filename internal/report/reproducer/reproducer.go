// Package reproducer makes of a finding what its UPF's developers can run without upflab: a script that sends the packets of
// the case's capture again, the capture, and the words of a bug report.
package reproducer

import (
	"bytes"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/proto/pcap"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/printable"
	"github.com/upflab/upflab/internal/text/safefile"
)

//go:embed reproduce.py
var script string

// The files.
const (
	Script  = "reproduce.py"
	Capture = "packets.pcapng"
	Text    = "report.md"
)

// Finding is what is reported.
type Finding struct {
	Case    *record.Case
	UPF     string // and its version
	Machine string // its kernel
	Tool    string // upflab and its version
	Date    time.Time
	Steps   []string // of the case, for people
}

// Write makes a folder, which must not be there, or be empty, with a finding's files. packets is the capture of the case.
func Write(dir string, f Finding, packets []byte) error {
	r, err := read(packets)
	if err != nil {
		return fmt.Errorf("%s: its capture %s: %w", f.Case.ID, f.Case.Capture, err)
	}
	code, err := r.script(&f)
	if err != nil {
		return err
	}
	if list, err := os.ReadDir(dir); err == nil && len(list) > 0 {
		return fmt.Errorf("%s is not empty: give a new folder by --out", dir)
	}
	if err := safefile.MakeFolder(dir, 0o755); err != nil {
		return err
	}
	return errors.Join(safefile.Write(filepath.Join(dir, Script), code, 0o755),
		safefile.Write(filepath.Join(dir, Capture), packets, 0o644),
		safefile.Write(filepath.Join(dir, Text), []byte(f.text(r)), 0o644))
}

// step is a packet of the recording, as the script has it: [seconds, link, sent, what, octets].
type step struct {
	at     time.Duration // since the first
	link   string        // N3, N4 or N6
	out    bool          // the tester sent it
	what   string        // and what is to become of it; "": it is none of the case's numbered packets
	octets []byte
}

// MarshalJSON implements json.Marshaler.
func (s step) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{s.at.Seconds(), s.link, s.out, s.what, hex.EncodeToString(s.octets)})
}

// recording is what a capture of a case shows.
type recording struct {
	steps []step
	run   []byte // the first half of each mark
	roles
}

// marked is the end of the comment beside a numbered packet.
var marked = regexp.MustCompile(`\(mark ([0-9a-f]{16})[0-9a-f]{16}\)$`)

// errOld: captures have had comments since some version.
var errOld = errors.New("it does not say what is to become of each packet: it is of an older upflab, or of a case that sends none; repeat the case with `upflab run behaviour --case ID`")

// read takes a case's capture apart.
func read(capture []byte) (*recording, error) {
	p, err := pcap.NewReader(bytes.NewReader(capture))
	if err != nil {
		return nil, err
	}
	r := &recording{}
	var began time.Time
	var all []step
	for {
		one, err := p.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if began.IsZero() {
			began = one.At
		}
		if one.Length > len(one.Data) {
			return nil, errors.New("a packet was cut off")
		}
		all = append(all, step{one.At.Sub(began), p.Interface(one.Of), one.Way == pcap.Out, one.Comment, bytes.Clone(one.Data)})
		if m := marked.FindStringSubmatch(one.Comment); m != nil {
			r.run, _ = hex.DecodeString(m[1])
		}
	}
	for _, s := range all {
		if r.wants(&s) {
			r.steps = append(r.steps, s)
		}
	}
	if len(r.steps) == 0 {
		return nil, errors.New("it has none of the case's packets")
	}
	r.assign()
	if r.run == nil && slices.ContainsFunc(all, func(s step) bool { return s.out && s.link == "N3" && carries(s.octets) }) {
		return nil, errOld
	}
	if r.run == nil { // it sends signalling alone
		r.run = make([]byte, 8)
	}
	return r, nil
}

// wants reports whether a packet belongs to the case: PFCP, GTP-U's signalling, and what has the run's mark.
func (r *recording) wants(s *step) bool {
	u, ok := readUDP(s.octets)
	switch s.link {
	case "N4":
		return ok && (u.toPort == pfcpPort || u.fromPort == pfcpPort)
	case "N3":
		if s.out && ok && u.toPort == gtpuPort || !s.out && ok && (u.toPort == gtpuPort || u.fromPort == gtpuPort) && !carries(s.octets) {
			return true
		}
	}
	if s.out {
		return s.what != ""
	}
	return r.run != nil && bytes.Contains(s.octets, r.run)
}

// script is the Python, with the case in it.
func (r *recording) script(f *Finding) ([]byte, error) {
	c := f.Case
	head, err := asJSON(struct {
		ID       string `json:"id"`
		Title    string `json:"title"`
		Clause   string `json:"clause"`
		UPF      string `json:"upf"`
		Expected string `json:"expected"`
		Observed string `json:"observed"`
		Verdict  string `json:"verdict"`
		Symptom  string `json:"symptom"`
		Run      string `json:"run"`
		roles
	}{c.ID, plain(c.Title), plain(c.Clause), plain(f.UPF), plain(c.Expected), plain(c.Observed), string(c.Verdict), c.Symptom,
		hex.EncodeToString(r.run), r.roles})
	var steps []string
	for i := 0; i < len(r.steps) && err == nil; i++ {
		var one string
		one, err = asJSON(r.steps[i])
		steps = append(steps, one)
	}
	if err != nil {
		return nil, err
	}
	before, after, _ := strings.Cut(script, "#CASE\n")
	return []byte(before + "# The case, and the packets of the recording: seconds, link, whether the tester sent it, what it is, octets.\nTEXT = r\"\"\"" +
		strings.TrimSuffix(head, "}") + ",\"steps\":[\n" + strings.Join(steps, ",\n") + "\n]}\"\"\"\n" + after), nil
}

// asJSON is a value in one line. It has no three quotes in a row, so that it fits into such a string of Python.
func asJSON(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return strings.ReplaceAll(strings.TrimSpace(b.String()), `"""`, `""\u0022`), err
}

// plain is a text of somebody's result that neither a terminal nor a table takes for more.
func plain(s string) string { return strings.ReplaceAll(printable.Line(s), "|", "/") }

// text is the bug report.
func (f *Finding) text(r *recording) string {
	c, upf := f.Case, plain(f.UPF)
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: %s\n\n", upf, plain(c.Title))
	fmt.Fprintf(&b, "| | |\n|---|---|\n| Asked for by | %s |\n| Expected | %s |\n| Observed | %s |\n", plain(c.Clause), plain(c.Expected), plain(c.Observed))
	if c.Cause != "" {
		fmt.Fprintf(&b, "| Cause in the answer | %s |\n", plain(c.Cause))
	}
	fmt.Fprintf(&b, "| UPF | %s |\n| Machine | %s |\n| Seen | %s, by the case `%s` of %s |\n\n", upf, plain(f.Machine), f.Date.UTC().Format("2006-01-02"), c.ID, plain(f.Tool))
	if len(f.Steps) > 0 {
		b.WriteString("## What the case does\n\nThe addresses here are examples.\n\n")
		for n, s := range f.Steps {
			fmt.Fprintf(&b, "%d. %s\n", n+1, s)
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, `## See it

Without upflab, by Python 3.8 or later, as root, on a machine with links to N3, N4 and N6 of the UPF:

    python3 %s --n4 UPF --n3 UPF --n3-interface NAME --n6 UPF --n6-interface NAME --smf ADDRESS --gnb ADDRESS --dn ADDRESS

It plays the SMF, gNBs and hosts, sends the packets of %s again, and says what came then and now. The exit status is
1 where the UPF does it again, 0 where it does not, and 2 where it cannot be told. %[1]s --help says which addresses the
recording has. The UPF has to take the gNB's and the host's address for neighbours on those links.

Each packet in %[2]s has a comment that says what is to become of it. Wireshark shows it as frame.comment.
`, Script, Capture)
	return b.String()
}
