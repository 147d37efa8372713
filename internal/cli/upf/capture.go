package upf

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/proto/pcap"
	"github.com/upflab/upflab/upf/control"
)

func newUPFCapture() *cobra.Command {
	var a asking
	var file string
	var packets int
	var period time.Duration
	c := &cobra.Command{
		Use: "capture SEID [--write FILE]", Short: "Copy one session's packets at N3 and N6", Args: cobra.ExactArgs(1),
		Long: `Copy one session's packets, as they arrive at the UPF and as they leave it. Print a line for
each, or write a pcapng file with an interface for N3 and one for N6. It ends after enough
packets, after a time, or when you interrupt it.`,
		RunE: func(c *cobra.Command, args []string) error {
			seid, err := control.ParseSEID(args[0])
			if err != nil {
				return exit.WrongUsage(c, err)
			}
			query := url.Values{"packets": {strconv.Itoa(packets)}, "time": {period.String()}}
			stream, err := a.client().Open(c.Context(), "/sessions/"+seid.String()+"/capture?"+query.Encode())
			if err != nil {
				return err
			}
			defer stream.Close()
			return capturePackets(c, stream, file)
		},
	}
	a.flags(c)
	c.Flags().StringVar(&file, "write", "", "pcapng `FILE` to write")
	c.Flags().IntVar(&packets, "packets", 1000, "`N` packets at most, 1..100000; one that passes is two: it comes and leaves")
	c.Flags().DurationVar(&period, "time", time.Minute, "end after this `TIME`")
	return c
}

// capturePackets writes what comes to the file, or as lines.
func capturePackets(c *cobra.Command, stream io.Reader, file string) error {
	take := func(p control.Captured) error { return printPacket(c.OutOrStdout(), p) }
	if file != "" {
		f, err := os.Create(file)
		if err != nil {
			return fmt.Errorf("make the capture file: %w", err)
		}
		defer f.Close()
		w, err := pcap.NewWriter(f, pcap.Interface{Name: "N3"}, pcap.Interface{Name: "N6"})
		if err != nil {
			return fmt.Errorf("write the capture file: %w", err)
		}
		take = func(p control.Captured) error { return keepPacket(w, p) }
	}
	n, dropped := 0, 0
	for decoder := json.NewDecoder(stream); ; {
		var p control.Captured
		if err := decoder.Decode(&p); err != nil {
			if !errors.Is(err, io.EOF) && c.Context().Err() == nil {
				return fmt.Errorf("read from the UPF: %w", err)
			}
			break
		}
		if n++; p.Dropped {
			n, dropped = n-1, dropped+1
		}
		if err := take(p); err != nil {
			return fmt.Errorf("write a packet: %w", err)
		}
	}
	fmt.Fprintf(c.ErrOrStderr(), "%d packets, %d dropped\n", n, dropped)
	return nil
}

// keepPacket writes a packet to the file, whose second interface is N6.
func keepPacket(w *pcap.Writer, p control.Captured) error {
	of := 0
	switch {
	case p.Dropped:
		return nil // it is there as it came
	case p.Port == "n6":
		of = 1
	}
	return w.Write(pcap.Packet{At: p.At, Data: p.Frame, Length: max(p.Length, len(p.Frame)), Of: of})
}

func printPacket(to io.Writer, p control.Captured) error {
	way := "in "
	switch {
	case p.Out:
		way = "out"
	case p.Dropped:
		_, err := fmt.Fprintf(to, "%s %s     dropped\n", p.At.Format("15:04:05.000000"), p.Port)
		return err
	}
	_, err := fmt.Fprintf(to, "%s %s %s %5d %s\n", p.At.Format("15:04:05.000000"), p.Port, way, p.Length, flows(p.Frame))
	return err
}
