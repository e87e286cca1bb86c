# Makes a Ruby program fork for each candidate. boildown has Ruby require this file before the script
# of the command: the process stays here, and each forked one goes on with the script, as if it had
# just been started. Requests are the fields that `zygote.c` describes.
#
# The first request is the input. Its process says at its end which files it has required, and this
# one requires them too, so that later processes have them from the start.

lambda do
  options = ENV.delete("BOILDOWN_WARM_RUBYOPT")
  options ? ENV["RUBYOPT"] = options : ENV.delete("RUBYOPT")
  # A Ruby that the command itself starts is not the one that is to fork.
  next unless ENV.delete("BOILDOWN_WARM") == Process.ppid.to_s

  known = $LOADED_FEATURES.dup
  requests, answers = IO.for_fd(0).dup, IO.for_fd(1).dup
  # The streams of Ruby stay as they are; only the files under their numbers change.
  put = ->(number, file) { IO.for_fd(number, autoclose: false).reopen(file) }
  put.(0, File.open(File::NULL))
  put.(1, IO.for_fd(2, autoclose: false))

  clip = lambda do |text, limit|
    half = limit / 2
    left_out = text.bytesize - 2 * half
    next text if left_out <= 0
    text.byteslice(0, half) + "\n[#{left_out} bytes left out]\n" + text.byteslice(-half, half).to_s
  end

  say = lambda do |answer|
    answers.write("{#{answer}}\n")
    answers.flush
  end

  # Collects what a process writes, until it has ended. The last pipe ends when the process does.
  watch = lambda do |child, pipes, limit|
    texts = pipes.map { String.new(encoding: Encoding::BINARY) }
    open = pipes.dup
    status = nil
    until status
      # A process that the child has forked may hold the pipes open.
      ready, = IO.select([requests, *open], nil, nil, open.empty? ? 0.0005 : 0.005)
      if ready&.include?(requests)
        # The connection has ended: so does the child, with its group, and so do we.
        [-child, child].each { |id| Process.kill(:KILL, id) rescue nil }
        exit!(0)
      end
      _, status = Process.wait2(child, Process::WNOHANG)
      pipes.each_with_index do |pipe, at|
        # What was written before the end is read too.
        loop do
          break unless open.include?(pipe)
          data = pipe.read_nonblock(1 << 16, exception: false)
          open.delete(pipe) if data.nil?
          break unless data.is_a?(String)
          texts[at] << data
          texts[at] = clip.(texts[at], limit) if texts[at].bytesize > 4 * limit + (1 << 20)
          break unless status
        end
      end
    end
    pipes.each(&:close)
    [status, texts]
  end

  become = lambda do |is_wanted, directory, stdin, variables, out, err|
    Process.setsid
    put.(0, File.open(stdin.empty? ? File::NULL : stdin))
    null = is_wanted ? nil : File.open(File::NULL, "w")
    put.(1, null || out)
    put.(2, null || err)
    [null, out, err, requests, answers].compact.each(&:close)
    variables.each { |variable| ENV.store(*variable.split("=", 2)) }
    Dir.chdir(directory)
  end

  say.('"boildown": 1, "name": "ruby"')
  is_first = true
  loop do
    buffered = String.new
    begin
      buffered << requests.readpartial(1 << 16) until buffered.end_with?("\0\0")
    rescue EOFError
      exit!(0)
    end
    fields = buffered.force_encoding(Encoding.default_external).split("\0")
    id, is_wanted, limit, directory, stdin, *variables = fields
    is_wanted, limit = is_wanted == "1", limit.to_i
    if Thread.list.size > 1
      say.("\"id\": #{id}, \"error\": \"a file that it requires starts threads, which a fork loses\"")
      next
    end
    out, err, learned = IO.pipe, IO.pipe, IO.pipe
    child = fork
    if child.nil?
      [out, err, learned].each { |pipe| pipe[0].close }
      become.(is_wanted, directory, stdin, variables, out[1], err[1])
      if is_first
        pid = Process.pid
        # What is registered first is called last.
        at_exit do
          files = ($LOADED_FEATURES - known).reject { |file| file.start_with?(directory + "/") }
          learned[1].write(files.join("\0")) if Process.pid == pid
        end
      end
      break
    end
    [out, err, learned].each { |pipe| pipe[1].close }
    status, texts = watch.(child, [out[0], err[0], learned[0]], limit)
    how = status.signaled? ? "signal\": #{status.termsig}" : "exit\": #{status.exitstatus}"
    answer = "\"id\": #{id}, \"#{how}"
    if is_wanted
      %w[stdout stderr].zip(texts) do |name, text|
        answer << ", \"#{name}_base64\": \"#{[clip.(text, limit)].pack("m0")}\""
      end
    end
    if is_first
      is_first = false
      texts[2].force_encoding(Encoding.default_external).split("\0").each do |file|
        require file if File.file?(file)
      rescue Exception
        # The program gets the error when it requires the file itself.
      end
      GC.start
    end
    say.(answer)
  end
end.call
