package read

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/cli/inputs"
	"github.com/upflab/upflab/internal/cli/outputs"
	"github.com/upflab/upflab/internal/cli/prepare"
	"github.com/upflab/upflab/internal/cli/tool"
	"github.com/upflab/upflab/internal/lab/dut/container"
	"github.com/upflab/upflab/internal/lab/dut/drivers"
	"github.com/upflab/upflab/internal/measure/campaign"
	"github.com/upflab/upflab/internal/measure/campaign/plan"
	"github.com/upflab/upflab/internal/results/history"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/serve/pages"
	"github.com/upflab/upflab/internal/text/safefile"
)

// serveFlags are the flags of `upflab serve`.
type serveFlags struct {
	listen, cert, key, tokenFile string
	runs                         bool
}

func newServe() *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use: "serve [DIR]", Args: cobra.MaximumNArgs(1),
		Short: "Show all results in a folder in a browser: reports, live runs, history, comparisons",
		Long: `Show all results in a folder (default: results) in a browser: reports, runs in progress, the
history of each figure, comparisons of any two, and which rules UPFs enforce.

By default it listens on loopback without a password: everybody on this machine may read.
Another address needs TLS (--tls-cert, --tls-key) and a token (--token-file).`,
		Example: `  upflab serve
  sudo upflab serve /srv/nightly --allow-runs
  upflab serve --listen :8443 --tls-cert cert.pem --tls-key key.pem --token-file token`,
		RunE: func(c *cobra.Command, args []string) error {
			return serve(c, inputs.ResultsIn(args), f)
		},
	}
	c.Flags().StringVar(&f.listen, "listen", "127.0.0.1:8480", "`ADDRESS` to listen on, HOST:PORT")
	c.Flags().StringVar(&f.cert, "tls-cert", "", "`FILE` with the server's certificate, PEM")
	c.Flags().StringVar(&f.key, "tls-key", "", "`FILE` with its key, PEM")
	c.Flags().StringVar(&f.tokenFile, "token-file", "", "`FILE` with what a browser has to give once, 16 characters or more")
	c.Flags().BoolVar(&f.runs, "allow-runs", false, "let those who may read start and stop runs; needs root")
	return c
}

func serve(c *cobra.Command, dir string, f serveFlags) error {
	o, certificate, err := f.options()
	if err != nil {
		return exit.WrongUsage(c, err)
	}
	if o.Runs, err = f.runner(dir); err != nil {
		return exit.WrongConfig(err)
	}
	defer o.Runs.Close()
	x, err := history.Open(dir)
	if err != nil {
		return exit.WrongConfig(err)
	}
	listener, err := net.Listen("tcp", f.listen)
	if err != nil {
		return fmt.Errorf("%w; choose another address by --listen", err)
	}
	debug.SetMemoryLimit(pages.Memory)
	way := "http"
	if certificate != nil {
		listener, way = tls.NewListener(listener, certificate), "https"
	}
	fmt.Fprintf(c.OutOrStdout(), "serving %s at %s://%s/ until ctrl-C\n", dir, way, listener.Addr())
	return pages.Serve(c.Context(), listener, pages.New(x, o))
}

// options checks who may connect, and how.
func (f serveFlags) options() (o pages.Options, c *tls.Config, err error) {
	host, _, err := net.SplitHostPort(f.listen)
	if err != nil {
		return o, nil, fmt.Errorf("--listen %s: write HOST:PORT, as 127.0.0.1:8480", f.listen)
	}
	o.Loopback = host == "localhost" || net.ParseIP(host).IsLoopback()
	if !o.Loopback && (f.cert == "" || f.key == "" || f.tokenFile == "") {
		return o, nil, fmt.Errorf("--listen %s is not only this machine: give --tls-cert, --tls-key and "+
			"--token-file, or listen on 127.0.0.1", f.listen)
	}
	if (f.cert == "") != (f.key == "") {
		return o, nil, errors.New("--tls-cert and --tls-key go together")
	}
	if f.tokenFile != "" {
		if o.Token, err = readToken(f.tokenFile); err != nil {
			return o, nil, err
		}
	}
	if f.cert == "" {
		return o, nil, nil
	}
	pair, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return o, nil, fmt.Errorf("read the certificate: %w", err)
	}
	o.Secure = true
	return o, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}, nil
}

// tokenLeast is the least length of a token.
const tokenLeast = 16

// tokenMost is how long its file may be, bytes.
const tokenMost = 64 << 10

func readToken(path string) (string, error) {
	text, err := safefile.Read(path, tokenMost)
	if err != nil {
		return "", fmt.Errorf("read the token: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if len(token) < tokenLeast {
		return "", fmt.Errorf("the token in %s has %d characters: take %d or more, as of `openssl rand -hex 16`", path, len(token), tokenLeast)
	}
	return token, nil
}

// runner is what starts runs; nil when that is not allowed.
func (f serveFlags) runner(dir string) (*pages.Runner, error) {
	if !f.runs {
		return nil, nil
	}
	if os.Geteuid() != 0 {
		return nil, errors.New("--allow-runs needs root, as runs do: try `sudo upflab serve --allow-runs`")
	}
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find upflab's own program: %w", err)
	}
	x := &pages.Runner{Program: program, Dir: dir}
	entries, err := scenario.List()
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		x.Scenarios = append(x.Scenarios, e.Name)
	}
	x.DUTs = startable()
	x.Plan = func(s *scenario.Scenario, duts []string) (pages.Outline, error) {
		job := &campaign.Job{Plan: plan.Plan{Scenario: s}}
		if err := planned(&job.Plan, duts); err != nil {
			return pages.Outline{}, err
		}
		o := job.Outline()
		return pages.Outline{Visits: o.Repeats * len(o.DUTs), Trials: len(o.Trials), Takes: o.Takes, Open: len(o.Open) > 0,
			Longer: o.Longer, Until: o.Until}, nil
	}
	return x, nil
}

// planned completes a plan by the UPFs that a page names, and refuses what `upflab run` would refuse.
func planned(plan *plan.Plan, duts []string) error {
	list, absent, err := prepare.Targets(duts, plan.Scenario)
	if err == nil {
		err = absent.OrNil()
	}
	if err != nil {
		return err
	}
	plan.Targets = list
	if err := prepare.CheckPlan(plan); err != nil {
		return err
	}
	return errors.Join(prepare.CheckThresholdNames(plan.Scenario, list), outputs.CheckFolder(""))
}

// startable are the UPFs that are installed here, in each mode.
func startable() (list []string) {
	for _, d := range drivers.All(tool.Facts().Version) {
		info := d.Info()
		if _, err := d.Installed(); err != nil || info.External || info.Name == "wire" {
			continue
		}
		if len(info.Modes) == 0 {
			list = append(list, info.Name)
		}
		for _, mode := range info.Modes {
			list = append(list, info.Name+":"+mode)
		}
	}
	return append(list, contained()...)
}

// contained are the UPFs that a published image has, where there is an engine to run it.
func contained() (list []string) {
	if _, err := (container.Way{}).Installed(); err != nil {
		return nil
	}
	for _, d := range drivers.All(tool.Facts().Version) {
		if info := d.Info(); info.Contained && info.Published.Image != "" {
			list = append(list, "container:"+info.Name)
		}
	}
	return list
}
