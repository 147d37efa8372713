package upf

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/upflab/upflab/internal/cli/console"
	"github.com/upflab/upflab/internal/cli/runflags"
	"github.com/upflab/upflab/upf/control"
)

func newUPFTop() *cobra.Command {
	var a asking
	var interval time.Duration
	var lines, count int
	c := &cobra.Command{
		Use: "top [--interval TIME]", Short: "Show the busiest sessions of a running UPF, live", Args: cobra.NoArgs,
		Long: `Show the busiest sessions of a running UPF by packets a second, until it is interrupted.
While it runs, xdp counts by session, which costs each packet some; else it does not.`,
		RunE: func(c *cobra.Command, _ []string) error {
			query := url.Values{"interval": {interval.String()}, "lines": {strconv.Itoa(lines)}}
			stream, err := a.client().Open(c.Context(), "/top?"+query.Encode())
			if err != nil {
				return err
			}
			defer stream.Close()
			return showTop(c, stream, count, a.json)
		},
	}
	a.flags(c)
	a.jsonFlag(c)
	c.Flags().DurationVar(&interval, "interval", time.Second, "`TIME` that rates are of, 100ms to 1m")
	runflags.Whole(c.Flags(), &lines, "lines", 20, 1, "`N` sessions at most")
	runflags.Whole(c.Flags(), &count, "count", 0, 0, "print `N` times; 0: until interrupted")
	return c
}

// showTop draws each table over the last one on a terminal, else one after the other.
func showTop(c *cobra.Command, stream io.Reader, count int, asJSON bool) error {
	terminal := console.File(c.OutOrStdout())
	live := terminal != nil && term.IsTerminal(int(terminal.Fd())) && !asJSON
	decoder := json.NewDecoder(stream)
	for n := 0; count == 0 || n < count; n++ {
		var t control.Top
		if err := decoder.Decode(&t); err != nil {
			return endOfTop(c, err)
		}
		var text bytes.Buffer
		if live {
			text.WriteString("\x1b[H\x1b[J") // home, and clear below
		}
		if asJSON {
			json.NewEncoder(&text).Encode(t)
		} else {
			writeTop(&text, t)
		}
		if _, err := c.OutOrStdout().Write(text.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

func endOfTop(c *cobra.Command, err error) error {
	switch {
	case c.Context().Err() != nil:
		return nil
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the UPF ended")
	}
	return fmt.Errorf("read from the UPF: %w", err)
}

func writeTop(to io.Writer, t control.Top) {
	fmt.Fprintf(to, "%d of %d sessions had packets in %.1f s\n\n", t.Active, t.Total, t.Seconds)
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "SEID\tUE\tpackets/s\tuplink\tdownlink\tMbit/s uplink\tdownlink\tdropped/s\t")
	for _, s := range t.Sessions {
		dropped := "?"
		if t.Drops {
			dropped = fmt.Sprintf("%.0f", s.DroppedPPS)
		}
		fmt.Fprintf(w, "%v\t%s\t%.0f\t%.0f\t%.0f\t%.2f\t%.2f\t%s\t\n", s.SEID, console.Dash(s.UE), s.UplinkPPS+s.DownlinkPPS,
			s.UplinkPPS, s.DownlinkPPS, s.UplinkBPS/1e6, s.DownlinkBPS/1e6, dropped)
	}
	w.Flush()
}
