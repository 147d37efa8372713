package setup

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/analysis/threshold"
	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/cli/tool"
	"github.com/upflab/upflab/internal/lab/dut/drivers"
	"github.com/upflab/upflab/internal/scenario"
)

func newInit() *cobra.Command {
	return &cobra.Command{
		Use: "init [FILE]", Args: cobra.MaximumNArgs(1),
		Short: "Ask three questions and write a scenario",
		Long: `Ask what to measure, on which UPF, and what must hold, and write a scenario to FILE
(default: upf.yaml), with the command that runs it. An empty answer takes the value in
brackets. It does not overwrite an existing file.`,
		RunE: func(c *cobra.Command, args []string) error {
			path := "upf.yaml"
			if len(args) > 0 {
				path = args[0]
			}
			return initScenario(c.InOrStdin(), c.OutOrStdout(), path)
		},
	}
}

// aim is something to measure, by a scenario of the catalog.
type aim struct {
	scenario string
	what     string
	gate     string // a threshold in which N is the least rate
	unit     string
	load     string // of the scenario, where the least rate takes its place
}

func aims() []aim {
	return []aim{
		{"sizes", "throughput and latency at the frame sizes of RFC 2544 and IMIX", "rx_pps >= N", "packets/s, as 1M or 500k", ""},
		{"ndr", "the highest rate without loss (MLRsearch)", "ndr_pps >= N", "packets/s, as 1M or 500k", ""},
		{"stress", "latency, loss and CPU from idle to overload, and the safe load", "rx_pps >= N", "packets/s, as 1M or 500k", ""},
		{"ue-throughput", "what a UE gets: TCP, UDP and ping", "flow.goodput_bps >= N @ tcp", "bit/s, as 5G or 800M", ""},
		{"quick", "whether it forwards at all, in seconds", "rx_pps >= N", "packets/s, as 100k", "loads: [100k]"},
	}
}

func initScenario(in io.Reader, out io.Writer, path string) error {
	if _, err := os.Lstat(path); err == nil {
		return exit.WrongConfig(fmt.Errorf("%s is there already: name another file, or remove it", path))
	}
	ask := asker{bufio.NewScanner(in), out}
	chosen, err := ask.aim()
	if err != nil {
		return err
	}
	upf, err := ask.dut()
	if err != nil {
		return err
	}
	gate, err := ask.gate(chosen)
	if err != nil {
		return err
	}
	text, err := scenarioText(chosen, upf, gate, path)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("write the scenario: %w", err)
	}
	if _, err := file.WriteString(text); err != nil {
		return errors.Join(fmt.Errorf("write the scenario: %w", err), file.Close())
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("write the scenario: %w", err)
	}
	name := path
	if !scenario.IsPath(name) {
		name = "." + string(filepath.Separator) + name
	}
	fmt.Fprintf(out, "\nwrote %s. What it would do:\n  upflab run %s --dut %s --dry-run\nRun it:\n  sudo upflab "+
		"run %s --dut %s\nIts keys: upflab scenario keys\n", path, name, upf, name, upf)
	return nil
}

// scenarioText is the file: a scenario of the catalog with a name of its own.
func scenarioText(a aim, upf, gate, path string) (string, error) {
	source, err := scenario.Source(a.scenario)
	if err != nil {
		return "", err
	}
	_, body, _ := strings.Cut(string(source), "\n") // its name comes from the file
	if rate, ok := strings.CutPrefix(gate, "rx_pps >= "); ok && a.load != "" {
		body = strings.Replace(body, a.load, "loads: ["+rate+"]", 1)
	}
	text := fmt.Sprintf("# Made from the built-in scenario %s; for: upflab run %s --dut %s\n# A key that is left "+
		"out has its default: upflab scenario keys\n%s", a.scenario, path, upf, body)
	if gate != "" {
		text += fmt.Sprintf("\n# Exit status 4 when one fails: docs/gates.md\nthresholds:\n  - %s\n", gate)
	}
	if upf == "external" {
		text += `
# A UPF that runs elsewhere: its addresses, and the interfaces here that lead to it.
n3: {gnb: 10.100.3.1, upf: 10.100.3.2}
n4: {smf: 10.100.4.1, upf: 10.100.4.2}
n6: {dn: 10.100.6.1, upf: 10.100.6.2}
external: {n3_interface: eth1, n6_interface: eth2, dialect: standard}
`
	}
	if _, err := scenario.OpenText([]byte(text), path, nil, false); err != nil {
		return "", err
	}
	return text, nil
}

// asker asks on a terminal, or reads the answers of a pipe.
type asker struct {
	in  *bufio.Scanner
	out io.Writer
}

// attempts is how often a question is asked.
const attempts = 3

// until asks until an answer is taken; no answer, or the end of the input, is "".
func (a asker) until(question string, take func(string) error) error {
	var err error
	for range attempts {
		fmt.Fprint(a.out, question)
		answer := ""
		more := a.in.Scan()
		if more {
			answer = strings.TrimSpace(a.in.Text())
		}
		if err = take(answer); err == nil {
			if !more {
				fmt.Fprintln(a.out)
			}
			return nil
		}
		fmt.Fprintln(a.out, "  ", err)
		if !more {
			break
		}
	}
	return exit.WrongConfig(fmt.Errorf("no answer that could be taken: %w", err))
}

func (a asker) aim() (chosen aim, err error) {
	list := aims()
	fmt.Fprintln(a.out, "1. What is to be measured?")
	for i, one := range list {
		fmt.Fprintf(a.out, "   %d  %s\n", i+1, one.what)
	}
	err = a.until("   [1] ", func(answer string) error {
		n := 1
		if answer != "" {
			if _, err := fmt.Sscanf(answer, "%d", &n); err != nil || n < 1 || n > len(list) {
				return fmt.Errorf("%q is not a number from 1 to %d", answer, len(list))
			}
		}
		chosen = list[n-1]
		return nil
	})
	return chosen, err
}

func (a asker) dut() (name string, err error) {
	var here []string
	for _, d := range drivers.All(tool.Facts().Version) {
		if _, err := d.Installed(); err == nil && !d.Info().External {
			here = append(here, d.Info().Name)
		}
	}
	fmt.Fprintf(a.out, "2. Which UPF? NAME or NAME:MODE; external for one that runs elsewhere.\n   Here: %s. All: "+
		"upflab dut list\n", strings.Join(here, ", "))
	err = a.until("   [builtin:xdp] ", func(answer string) error {
		if answer == "" {
			answer = "builtin:xdp"
		}
		t, err := drivers.Find(answer, tool.Facts().Version)
		if err == nil {
			name = t.Label()
		}
		return err
	})
	return name, err
}

func (a asker) gate(chosen aim) (gate string, err error) {
	fmt.Fprintf(a.out, "3. What must it carry at least? In %s; empty: nothing is required.\n", chosen.unit)
	err = a.until("   [] ", func(answer string) error {
		if answer == "" {
			return nil
		}
		text := strings.Replace(chosen.gate, "N", answer, 1)
		t, err := threshold.Parse(text)
		if err != nil {
			return err
		}
		if t.Limit.Of != "" {
			return fmt.Errorf("%q is not a limit: write %s", answer, chosen.unit)
		}
		gate = text
		return nil
	})
	return gate, err
}
