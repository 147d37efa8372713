package iperf3

import (
	"slices"
	"time"
)

// Result is what one client and its server measured.
type Result struct {
	Seconds     float64 // of sending
	SentBPS     float64 // bits/s of payload
	GoodputBPS  float64 // bits/s of payload that the receiver got
	Retransmits uint64  // TCP segments
	Packets     uint64  // UDP datagrams that the receiver should have had
	Lost        uint64  // of them
	Reordered   uint64
	LossRatio   float64 // of UDP, 0..1; 1 when nothing arrived
	Jitter      time.Duration
	MinRTT      time.Duration // of TCP_INFO, over the streams; 0: not reported
	MeanRTT     time.Duration
	MaxRTT      time.Duration
	SenderCPU   float64 // cores, as iperf3 reports it
	ReceiverCPU float64
	Congestion  string  // TCP's congestion control at the sender
	MSS         int     // octets
	Stalls      float64 // s in whole intervals in which nothing arrived
	Series      []Point
}

// Point is one interval.
type Point struct {
	EndS        float64
	GoodputBPS  float64
	Retransmits uint64
	Cwnd        uint64        // octets, sum over the streams
	RTT         time.Duration // mean over the streams; 0: not reported
	Jitter      time.Duration
	LossRatio   float64
}

// Result takes the figures of a report together.
func (r *Report) Result() Result {
	sender, receiver := r.sides()
	out := Result{
		Seconds: r.End.Sent.Seconds, SentBPS: r.End.Sent.BPS, GoodputBPS: r.End.Received.BPS,
		Retransmits: uint64(r.End.Sent.Retransmits), MSS: r.Start.MSS, Congestion: r.End.Congestion,
		SenderCPU: r.End.CPU.Host / 100, ReceiverCPU: r.End.CPU.Remote / 100,
	}
	if r.reverse() {
		out.SenderCPU, out.ReceiverCPU = out.ReceiverCPU, out.SenderCPU
	}
	if r.udp() {
		out.addUDP(r.End)
	}
	out.addRTT(sender)
	out.Series = series(sender, receiver)
	for _, i := range intervals(receiver) {
		if i.Sum.Bytes == 0 {
			out.Stalls += i.Sum.Seconds
		}
	}
	return out
}

func (r *Report) udp() bool     { return r.Start.Test.Protocol == "UDP" }
func (r *Report) reverse() bool { return r.Start.Test.Reverse != 0 }

// sides are the reports of the two ends; nil: it did not arrive.
func (r *Report) sides() (sender, receiver *Report) {
	if r.reverse() {
		return r.Server, r
	}
	return r, r.Server
}

// addUDP adds what was lost. Sum is what the receiver says; one that got nothing knows
// of no loss.
func (out *Result) addUDP(e End) {
	out.Packets, out.Lost = uint64(max(0, e.Sum.Packets)), uint64(max(0, e.Sum.Lost))
	out.Jitter = millis(e.Sum.JitterMillis)
	for _, s := range e.Streams {
		out.Reordered += uint64(max(0, s.UDP.OutOfOrder))
	}
	switch {
	case e.Received.Bytes == 0 && e.Sent.Bytes > 0:
		out.LossRatio, out.Lost = 1, out.Packets
	case out.Packets > 0:
		out.LossRatio = min(1, float64(out.Lost)/float64(out.Packets))
	}
}

// addRTT adds what the kernel of the sender measured.
func (out *Result) addRTT(sender *Report) {
	if sender == nil {
		return
	}
	n := 0.0
	for _, s := range sender.End.Streams {
		if s.Sender.MeanRTTMicros <= 0 {
			continue
		}
		if least := micros(s.Sender.MinRTTMicros); out.MinRTT == 0 || least < out.MinRTT {
			out.MinRTT = least
		}
		out.MaxRTT = max(out.MaxRTT, micros(s.Sender.MaxRTTMicros))
		out.MeanRTT += micros(s.Sender.MeanRTTMicros)
		n++
	}
	if n > 0 {
		out.MeanRTT = time.Duration(float64(out.MeanRTT) / n)
	}
}

// intervals leaves out what was omitted, and the rest at the end of a test, which is much
// shorter than the others: its rate says nothing.
func intervals(r *Report) (list []Interval) {
	if r == nil {
		return nil
	}
	for _, i := range r.Intervals {
		if !i.Sum.Omitted && i.Sum.Seconds >= r.Intervals[0].Sum.Seconds/10 {
			list = append(list, i)
		}
	}
	return list
}

// series joins the intervals of both ends by their number.
func series(sender, receiver *Report) (points []Point) {
	at := func(r *Report, n int) (Interval, bool) {
		i := intervals(r)
		if n >= len(i) {
			return Interval{}, false
		}
		return i[n], true
	}
	for n := range max(len(intervals(sender)), len(intervals(receiver))) {
		s, sent := at(sender, n)
		got, received := at(receiver, n)
		p := Point{EndS: got.Sum.EndS, GoodputBPS: got.Sum.BPS, Jitter: millis(got.Sum.JitterMillis)}
		if !received { // the sender's figure is the best there is
			p.EndS, p.GoodputBPS = s.Sum.EndS, s.Sum.BPS
		}
		if got.Sum.Packets > 0 {
			p.LossRatio = min(1, max(0, got.Sum.Lost/got.Sum.Packets))
		}
		if sent {
			p.addTCP(s)
		}
		points = append(points, p)
	}
	return slices.Clip(points)
}

func (p *Point) addTCP(i Interval) {
	p.Retransmits = uint64(max(0, i.Sum.Retransmits))
	var sum float64
	for _, s := range i.Streams {
		p.Cwnd += s.CwndOctets
		sum += s.RTTMicros
	}
	if len(i.Streams) > 0 {
		p.RTT = micros(sum / float64(len(i.Streams)))
	}
}

func micros(v float64) time.Duration { return time.Duration(max(0, v) * float64(time.Microsecond)) }
func millis(v float64) time.Duration { return time.Duration(max(0, v) * float64(time.Millisecond)) }
