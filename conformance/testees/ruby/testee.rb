# Ruby's own JSON library as a testee, written from the template in docs/your-own-service.md.
require 'json'

HELLO = { # what it is and has
  name: 'json', version: JSON::VERSION, runtime: "Ruby #{RUBY_VERSION}", host: 'ruby', formats: ['json'],
  ops: ['encode', 'decode'], options: [], strict: false, lacks: ['bin', 'ext', 'timestamp', 'map-key']
}.freeze

def read(j) # tagged JSON to Ruby
  return j.map { |v| read(v) } if j.is_a?(Array)
  return j unless j.is_a?(Hash)

  if j.size == 1 && j.first[0].start_with?('$')
    tag, inner = j.first
    return Integer(inner) if tag == '$int'
    return [inner[2..]].pack('H*').unpack1('G') if tag == '$float'

    j = inner # $obj; the rest is in `lacks`
  end
  j.transform_values { |v| read(v) }
end

def write(v) # Ruby to tagged JSON
  case v
  when Array then v.map { |x| write(x) }
  when Hash then { '$map' => v.map { |k, x| [write(k), write(x)] } }
  when Integer then { '$int' => v.to_s }
  when Float then { '$float' => "0x#{[v].pack('G').unpack1('H*')}" }
  when String then v.valid_encoding? ? v : { '$str' => [v].pack('m0') }
  else v
  end
end

def answer(r)
  case r['op']
  when 'hello' then { ok: HELLO }
  when 'encode' then { ok: JSON.generate(read(r['value']), max_nesting: 512).unpack1('H*') }
  when 'decode' then { ok: write(JSON.parse([r['input']].pack('H*').force_encoding('UTF-8'), max_nesting: 512)) }
  else { skipped: "no op #{r['op']}" }
  end
rescue StandardError, SystemStackError => e
  { error: { message: e.message.scrub[0, 300] } }
end

$stdin.each_line do |line|
  answers = JSON.parse(line, max_nesting: 0).map { |r| answer(r) }
  puts JSON.generate(answers, max_nesting: 0)
  $stdout.flush
end
