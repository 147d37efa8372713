package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
	"github.com/spf13/cobra"

	"github.com/upflab/upflab/upf/control"
)

func newUPFCapture() *cobra.Command {
	var a asking
	var file string
	var packets int
	var period time.Duration
	c := &cobra.Command{
		Use: "capture SEID [--write FILE]", Short: "Copy one session's packets at N3 and N6", Args: cobra.ExactArgs(1),
		Long: `Copy one session's packets, as they come to the UPF and as they leave it: a line each, or
into a pcapng file with an interface for N3 and one for N6. It ends with enough packets,
after a time, or when it is interrupted.`,
		RunE: func(c *cobra.Command, args []string) error {
			seid, err := control.ParseSEID(args[0])
			if err != nil {
				return usageError{c, err}
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
	c.Flags().StringVar(&file, "write", "", "pcapng `file` to write")
	c.Flags().IntVar(&packets, "packets", 1000, "how many at most, 1..100000; one that passes is two: it comes and leaves")
	c.Flags().DurationVar(&period, "time", time.Minute, "for how long at most")
	return c
}

// capturePackets writes what comes to the file, or as lines.
func capturePackets(c *cobra.Command, stream io.Reader, file string) error {
	take := func(p control.Captured) error { return printPacket(c.OutOrStdout(), p) }
	finish := func() error { return nil }
	if file != "" {
		f, err := os.Create(file)
		if err != nil {
			return fmt.Errorf("make the capture file: %w", err)
		}
		defer f.Close()
		w, err := newPcapng(f)
		if err != nil {
			return err
		}
		take, finish = w.write, w.Flush
	}
	n, dropped := 0, 0
	for decoder := json.NewDecoder(stream); ; {
		var p control.Captured
		if err := decoder.Decode(&p); err != nil {
			if !errors.Is(err, io.EOF) && c.Context().Err() == nil {
				return errors.Join(fmt.Errorf("read from the UPF: %w", err), finish())
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
	return finish()
}

// pcapng is a file with two interfaces.
type pcapng struct{ *pcapgo.NgWriter }

func newPcapng(to io.Writer) (pcapng, error) {
	port := func(name string) pcapgo.NgInterface {
		return pcapgo.NgInterface{Name: name, LinkType: layers.LinkTypeEthernet, TimestampResolution: 9}
	}
	w, err := pcapgo.NewNgWriterInterface(to, port("N3"), pcapgo.DefaultNgWriterOptions)
	if err != nil {
		return pcapng{}, err
	}
	_, err = w.AddInterface(port("N6"))
	return pcapng{w}, err
}

func (w pcapng) write(p control.Captured) error {
	if p.Dropped {
		return nil // it is there as it came
	}
	info := gopacket.CaptureInfo{Timestamp: p.At, CaptureLength: len(p.Frame), Length: max(p.Length, len(p.Frame))}
	if p.Port == "n6" {
		info.InterfaceIndex = 1
	}
	return w.WritePacket(info, p.Frame)
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
	var flows []string
	for _, l := range gopacket.NewPacket(p.Frame, layers.LayerTypeEthernet, gopacket.DecodeOptions{Lazy: false, NoCopy: true}).Layers() {
		switch x := l.(type) {
		case *layers.GTPv1U:
			flows = append(flows, fmt.Sprintf("GTP-U TEID %#x", x.TEID))
		case gopacket.NetworkLayer:
			flows = append(flows, x.NetworkFlow().String())
		case gopacket.TransportLayer:
			flows = append(flows, fmt.Sprintf("%v %v", l.LayerType(), x.TransportFlow()))
		}
	}
	_, err := fmt.Fprintf(to, "%s %s %s %5d %s\n", p.At.Format("15:04:05.000000"), p.Port, way, p.Length, strings.Join(flows, ", "))
	return err
}
