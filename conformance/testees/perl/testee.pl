# A JSON library of Perl as a testee, written from the template in docs/your-own-service.md.
use strict;
use warnings;
use JSON::PP;
use MIME::Base64;
no warnings 'recursion';
$| = 1;
my $line = JSON::PP->new->utf8->allow_nonref->max_depth(5000);
my $codec = JSON::PP->new->utf8->allow_nonref->allow_bignum->max_depth(512);    # what is tested

sub read_tagged {    # tagged JSON to Perl
    my $j = shift;
    return [map { read_tagged($_) } @$j] if ref $j eq 'ARRAY';
    return $j unless ref $j eq 'HASH';
    my ($key, @more) = keys %$j;
    if (defined $key && !@more && $key =~ /^\$/) {
        my $inner = $j->{$key};
        return Math::BigInt->new($inner)                   if $key eq '$int';
        return unpack('d>', pack('H*', substr $inner, 2))  if $key eq '$float';
        $j = $inner;    # $obj; the rest is in `lacks`
    }
    return {map { $_ => read_tagged($j->{$_}) } keys %$j};
}

sub write_tagged {    # Perl to tagged JSON
    my $v = shift;
    return $v if !defined $v || JSON::PP::is_bool($v);
    return [map { write_tagged($_) } @$v] if ref $v eq 'ARRAY';
    return {'$map' => [map { [$_, write_tagged($v->{$_})] } keys %$v]} if ref $v eq 'HASH';
    return {'$int' => $v->bstr} if ref $v eq 'Math::BigInt';
    return {'$float' => '0x' . unpack 'H*', pack('d>', ref $v ? $v->numify : $v)} if ref $v;
    return $v if $line->encode($v) =~ /^"/;                # text
    return {'$int' => "$v"} if $v =~ /^-?\d+$/;
    return {'$float' => '0x' . unpack 'H*', pack('d>', $v)};
}
my %op = (
    hello => sub {
        {   name => 'JSON::PP', version => JSON::PP->VERSION, runtime => "Perl $^V", host => 'perl', formats => ['json'],
            ops => ['encode', 'decode'], options => [], strict => JSON::PP::false, unordered_maps => JSON::PP::true,
            lacks => ['bin', 'ext', 'timestamp', 'map-key'],
        }
    },
    encode => sub { unpack 'H*', $codec->encode(read_tagged($_[0]{value})) },
    decode => sub { write_tagged($codec->decode(pack 'H*', $_[0]{input})) },
);
while (my $text = <STDIN>) {
    my @answers = map {
        my $r = $_;
        my $ok = eval { [$op{$r->{op}}->($r)] };
        $ok ? {ok => $ok->[0]} : {error => {message => "$@"}}
    } @{$line->decode($text)};
    print $line->encode(\@answers), "\n";
}
