// Package ping runs the ping of iputils and reads its answers.
package ping

import (
	"bufio"
	"bytes"
	"fmt"
	"math"
	"net/netip"
	"os/exec"
	"regexp"
	"strconv"
	"time"

	"github.com/upflab/upflab/internal/text/units"
)

// Options say what is sent.
type Options struct {
	To       netip.Addr
	From     netip.Addr // source address; the zero value: the system chooses
	Device   string     // that packets leave by; "": the system chooses
	Count    int
	Interval time.Duration // 2 ms and more, 0: 1 s
	Payload  int           // octets of ICMP payload; 0: ping's 56
	// Deadline ends it whatever was answered, rounded up to seconds; 0: none.
	Deadline time.Duration
	// DontFragment forbids to fragment, so that a packet beyond the MTU is lost.
	DontFragment bool
}

// Find gives the path of ping.
func Find() (string, error) {
	path, err := exec.LookPath("ping")
	if err != nil {
		return "", fmt.Errorf("ping is not installed: try `apt install iputils-ping`")
	}
	return path, nil
}

// replyWait is how long ping waits for the last answer, s.
const replyWait = "1"

// Args is the command.
func Args(path string, o Options) []string {
	args := []string{path, "-n", "-D", "-W", replyWait, "-c", strconv.Itoa(o.Count)}
	if o.Deadline > 0 {
		args = append(args, "-w", strconv.Itoa(int(math.Ceil(o.Deadline.Seconds()))))
	}
	if o.Interval > 0 {
		args = append(args, "-i", strconv.FormatFloat(o.Interval.Seconds(), 'f', 3, 64))
	}
	if o.From.IsValid() {
		args = append(args, "-I", o.From.String())
	}
	if o.Device != "" {
		args = append(args, "-I", o.Device)
	}
	if o.Payload > 0 {
		args = append(args, "-s", strconv.Itoa(o.Payload))
	}
	if o.DontFragment {
		args = append(args, "-M", "do")
	}
	return append(args, o.To.String())
}

// Report is what ping printed.
type Report struct {
	Sent     uint64
	Received uint64
	// RTTs are in the order of the answers; late duplicates are left out.
	RTTs       []time.Duration
	Duplicates uint64
	Reordered  uint64 // answers with a lower number than one before
	// Silence is the longest time between two answers.
	Silence time.Duration
	// Errors are what routers or the own kernel answered, by the words of ping.
	Errors []string
	// MTU is what an answer "message too long" named; 0: there was none.
	MTU int
}

var (
	stamp       = regexp.MustCompile(`^\[(\d{1,12}\.\d{1,9})\] `)
	answerLine  = regexp.MustCompile(`icmp_seq=(\d{1,9}) ttl=\d{1,3} time=(\d{1,9}(?:\.\d{1,6})?) ms( \(DUP!\))?`)
	summaryLine = regexp.MustCompile(`^(\d{1,9}) packets transmitted, (\d{1,9}) received`)
	errorLine   = regexp.MustCompile(`(Destination \w+ Unreachable|Destination unreachable: [A-Z][a-z ]+|Time to live exceeded|Time exceeded: Hop limit|Frag(?:mentation)? needed|Packet too big|[Mm]essage too long|Packet filtered|Network is unreachable)`)
	mtuWords    = regexp.MustCompile(`mtu ?[=:]? ?(\d{1,5})`)
)

// errorsMax bounds the different errors that are kept.
const errorsMax = 8

// Parse reads ping's output. It is an error when the summary is missing: then ping was
// killed, or is not the ping of iputils.
func Parse(output []byte) (*Report, error) {
	r := &Report{}
	lines := bufio.NewScanner(bytes.NewReader(output))
	done, last, before := false, uint64(0), 0.0
	for lines.Scan() {
		line := lines.Text()
		if m := answerLine.FindStringSubmatch(line); m != nil {
			last = r.answer(m, last)
			before = r.since(before, line)
			continue
		}
		if m := summaryLine.FindStringSubmatch(line); m != nil {
			r.Sent, _ = strconv.ParseUint(m[1], 10, 64)
			r.Received, _ = strconv.ParseUint(m[2], 10, 64)
			done = true
		}
		r.failure(line)
	}
	if err := lines.Err(); err != nil {
		return r, fmt.Errorf("read ping's output: %w", err)
	}
	if !done {
		return r, fmt.Errorf("ping's output has no summary; it ends with %.80q", units.LastLine(string(output)))
	}
	return r, nil
}

func (r *Report) answer(m []string, last uint64) uint64 {
	if m[3] != "" {
		r.Duplicates++
		return last
	}
	ms, err := strconv.ParseFloat(m[2], 64)
	if err != nil {
		return last
	}
	r.RTTs = append(r.RTTs, time.Duration(ms*float64(time.Millisecond)))
	n, _ := strconv.ParseUint(m[1], 10, 64)
	if n < last {
		r.Reordered++
	}
	return max(n, last)
}

// since measures the time from one answer to the next, by the stamps before them.
func (r *Report) since(before float64, line string) float64 {
	m := stamp.FindStringSubmatch(line)
	if m == nil {
		return before
	}
	at, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return before
	}
	if before > 0 {
		r.Silence = max(r.Silence, time.Duration((at-before)*float64(time.Second)))
	}
	return at
}

func (r *Report) failure(line string) {
	m := errorLine.FindString(line)
	if m == "" {
		return
	}
	if mtu := mtuWords.FindStringSubmatch(line); mtu != nil {
		r.MTU, _ = strconv.Atoi(mtu[1])
	}
	for _, have := range r.Errors {
		if have == m {
			return
		}
	}
	if len(r.Errors) < errorsMax {
		r.Errors = append(r.Errors, m)
	}
}
